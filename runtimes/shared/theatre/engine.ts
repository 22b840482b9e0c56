/**
 * The theatre: plays a scenario forward, shows every earlier step, and goes back to one for good.
 * A performance cannot run backward: earlier steps are kept as frames, or played again.
 */
import type { Acted, Opened, Run, RunLimits, TheatreApi, Until } from "./api.ts";
import { MAX_RUN_STEPS } from "./api.ts";
import { CHARTS } from "./charts.ts";
import type { Frame } from "./frame.ts";
import { FRAMES_KEPT, History } from "./history.ts";
import { writeAction } from "./action-words.ts";
import { Replay } from "./replay.ts";
import {
  type Action,
  MAX_ACTIONS,
  MAX_MS,
  MAX_STEP,
  MAX_TEXT,
  type Scenario,
  type ScenarioFaultCode,
  type TimedAction,
} from "./scenario.ts";
import { faultOfAction, formatScenario, parseScenario } from "./scenario-text.ts";
import { Stage } from "./stage/stage.ts";
import { isReached } from "./until.ts";

/** Most steps that are played again for one question. */
const MAX_RANGE = 2_000;

/** Longest text of a moment, with what stands around it. */
const WHEN_LENGTH = 20;

/** What a theatre may be told besides the scenario. */
export interface TheatreOptions {
  /** Frames that are kept; {@link FRAMES_KEPT} when absent. */
  readonly framesKept?: number;
}

/** Opens the theatre and plays step 0. */
export async function createTheatre(
  scenario: Scenario,
  options: TheatreOptions = {},
): Promise<Theatre> {
  const theatre = new Theatre(scenario, options);
  await theatre.begin();
  return theatre;
}

/** A theatre in place, with what {@link TheatreApi} offers. */
export class Theatre {
  readonly charts = CHARTS;
  readonly #kept: number;
  #scenario: Scenario;
  #stage: Stage;
  #history: History;
  #replay: Replay | undefined;

  constructor(scenario: Scenario, { framesKept = FRAMES_KEPT }: TheatreOptions) {
    this.#kept = framesKept;
    this.#scenario = scenario;
    this.#stage = new Stage(scenario);
    this.#history = new History(framesKept);
  }

  /** The newest frame. */
  get frame(): Frame {
    return this.#history.newest;
  }

  /** As it is played, with everything that was done by hand. */
  get scenario(): Scenario {
    return this.#scenario;
  }

  /** The scenario as text. */
  get text(): string {
    return formatScenario(this.#scenario);
  }

  /** Plays step 0. */
  async begin(): Promise<void> {
    this.#history.add(await this.#stage.begin());
  }

  async run(until: Until, limits: RunLimits = {}): Promise<Run> {
    const { ms = Number.POSITIVE_INFINITY, steps = MAX_RUN_STEPS } = limits;
    const { agenda } = this.#stage;
    const first = this.frame.step;
    // What is planned up to a time is all done; the clock stays there.
    const wanted = until.kind === "time" ? Math.floor(until.atMs) : undefined;
    const end = Math.min(wanted ?? Number.POSITIVE_INFINITY, agenda.now + ms);
    const last = Math.min(Math.floor(end), MAX_MS);
    const frames: Frame[] = [];
    let reached = false;
    while (frames.length < Math.min(steps, MAX_RUN_STEPS) && !reached) {
      const frame = this.frame.step < MAX_STEP && (await this.#stage.advance(last));
      if (!frame) {
        if (Number.isFinite(end)) agenda.idle(last);
        break;
      }
      this.#history.add(frame);
      frames.push(frame);
      reached = wanted === undefined && isReached(until, frame, first);
    }
    if (wanted !== undefined) reached = agenda.now >= wanted;
    return { frames, reached, timeMs: agenda.now, isOver: this.#isOver() };
  }

  /** What is done by hand must have a moment that a text can hold: there the performance ends. */
  #isOver(): boolean {
    const { agenda } = this.#stage;
    const nextAt = agenda.nextAt() ?? 0;
    return this.frame.step >= MAX_STEP || agenda.now >= MAX_MS || nextAt > MAX_MS;
  }

  async act(action: Action): Promise<Acted> {
    const { protocol } = this.#scenario;
    const nodes = this.frame.nodes.length;
    const fault = faultOfAction(action, { protocol, nodes }) ?? this.#faultOfLength(action);
    if (fault) throw new RangeError(`the action ${action.kind} is refused: ${fault}`);
    const { step, timeMs } = this.frame;
    const { now } = this.#stage.agenda;
    const when = now > timeMs ? { afterStep: step, atMs: now } : { afterStep: step };
    const frame = await this.#stage.act(action);
    this.#history.add(frame);
    const actions = [...this.#scenario.actions, { when, action }];
    this.#scenario = { ...this.#scenario, actions };
    return { frame, text: this.text };
  }

  /** What is done by hand must fit into a text that can be read again. */
  #faultOfLength(action: Action): ScenarioFaultCode | undefined {
    if (this.#scenario.actions.length >= MAX_ACTIONS) return "tooManyActions";
    if (this.frame.step >= MAX_STEP || this.#stage.agenda.now > MAX_MS) return "outOfRange";
    const more = writeAction(action).join("-").length + WHEN_LENGTH;
    return this.text.length + more > MAX_TEXT ? "tooLong" : undefined;
  }

  /** An earlier frame. @throws RangeError for a step that has not been */
  async at(step: number): Promise<Frame> {
    const [frame] = await this.frames(step, step);
    if (!frame) throw new RangeError(`step ${step} has not been played`);
    return frame;
  }

  async frames(from: number, to: number): Promise<readonly Frame[]> {
    const last = Math.min(to, this.frame.step, from + MAX_RANGE - 1);
    if (from >= this.#history.oldest) return this.#history.range(from, last);
    if (this.#replay?.scenario !== this.#scenario || !this.#replay.has(from))
      this.#replay = new Replay(this.#scenario, from);
    return this.#replay.range(from, last);
  }

  /** Goes back to a step for good. */
  async branch(step: number): Promise<Frame> {
    const isBefore = ({ when }: TimedAction) => !("afterStep" in when) || when.afterStep < step;
    const scenario = { ...this.#scenario, actions: this.#scenario.actions.filter(isBefore) };
    const stage = new Stage(scenario);
    const history = new History(this.#kept);
    history.add(await stage.begin());
    while (history.newest.step < step) {
      const frame = await stage.advance();
      if (!frame) break;
      history.add(frame);
    }
    this.#scenario = scenario;
    this.#stage = stage;
    this.#history = history;
    return history.newest;
  }
}

/** The theatre as a worker serves it: one thing at a time, in the order it was asked for. */
export function createTheatreApi(options: TheatreOptions = {}): TheatreApi {
  let theatre: Theatre | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const opened = (): Theatre => {
    if (!theatre) throw new RangeError("no scenario is open");
    return theatre;
  };
  const openedAt = (frame: Frame): Opened => {
    const { text, charts } = opened();
    return { ok: true, text, charts, frame };
  };
  return {
    open: (text) =>
      inTurn(async () => {
        const parsed = parseScenario(text);
        if (!parsed.ok) return parsed;
        theatre = await createTheatre(parsed.scenario, options);
        return openedAt(theatre.frame);
      }),
    run: (until, limits) => inTurn(() => opened().run(until, limits)),
    act: (action) => inTurn(() => opened().act(action)),
    frames: (from, to) => inTurn(() => opened().frames(from, to)),
    branch: (step) => inTurn(async () => openedAt(await opened().branch(step))),
  };
}
