/** A core next to its twin: xstate's pure `transition` takes every step too, and must agree. */
import assert from "node:assert/strict";
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  initialTransition,
  transition,
} from "xstate";
import type { Take } from "../../../core/protocol/step.ts";

/** Plain data is copied, with its accessors; functions and instances of classes are shared. */
function copyOf(value: unknown): unknown {
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, copyOf(item)]));
  if (value instanceof Set) return new Set(value);
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== "object" || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(value));
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(value)))
    if (!get) Object.assign(copy, { [name]: copyOf((value as Record<string, unknown>)[name]) });
  return copy;
}

function innermost(value: unknown): unknown {
  return typeof value === "object" && value !== null ? innermost(Object.values(value)[0]) : value;
}

/** The twins of all cores of a protocol that take steps. */
export class Twins<Core extends object> {
  readonly #machine: AnyStateMachine;
  readonly #key: string;
  readonly #field: string;
  readonly #twins = new WeakMap<object, { core: Core; snapshot: AnyMachineSnapshot }>();
  steps = 0;

  constructor(machine: object, place: { readonly key: string; readonly field: string }) {
    this.#machine = machine as AnyStateMachine;
    this.#key = place.key;
    this.#field = place.field;
  }

  /** Takes a step with the core and its twin. @throws AssertionError when they differ */
  step<Effects>(
    core: Core,
    takeCore: () => Effects,
    takeTwin: (twin: Core, take: Take) => Effects,
  ): Effects {
    const twin = this.#twins.get(core) ?? this.#begin(core);
    const effects = takeCore();
    let last = "nothing";
    const asked = takeTwin(twin.core, (event) => {
      if (twin.snapshot.status !== "active") return;
      last = event.type;
      [twin.snapshot] = transition(this.#machine, twin.snapshot, event);
    });
    this.steps++;
    assert.deepEqual(asked, effects, `what ${last} asks for`);
    const state = (core as Record<string, unknown>)[this.#field];
    assert.equal(innermost(twin.snapshot.value), state, `the state after ${last}`);
    assert.deepEqual(twin.core, core, `the core after ${last}`);
    return effects;
  }

  #begin(core: Core) {
    const copy = copyOf(core) as Core;
    const [snapshot] = initialTransition(this.#machine, { [this.#key]: copy });
    const twin = { core: copy, snapshot: snapshot as AnyMachineSnapshot };
    this.#twins.set(core, twin);
    return twin;
  }
}
