/**
 * Manager and workers over an MQTT broker: everybody on a topic gets all messages and takes those
 * that are for it. Source: benchmark 8
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import { isFor, MANAGER, messageOf, readMessageText, type WorkerMessage } from "./messages.ts";
import type { ManagerLink, WorkerLink } from "./worker-link.ts";

/** From workers to the manager, and back. Source: benchmark 8 */
const FROM_WORKERS = "worker/update";
const FROM_MANAGER = "manager/update";
/** Every message arrives, perhaps twice: all are understood twice. */
const QOS = 1;
const RECONNECT_MS = 500;
/** A broker that is away longer is lost. */
const BROKER_LIMIT_MS = 3_000;
/** What a connection has sent is waited for so long at its end. */
const LEAVE_MS = 1_000;

interface Broker {
  readonly client: MqttClient;
  publish(topic: string, message: WorkerMessage): void;
  close(): Promise<void>;
}

/** Connects and subscribes. @throws BenchmarkFault `engine` when the broker is not reached */
async function openBroker(
  address: string,
  topic: string,
  options: IClientOptions,
): Promise<Broker> {
  let client: MqttClient;
  try {
    const how = { reconnectPeriod: RECONNECT_MS, connectTimeout: BROKER_LIMIT_MS, ...options };
    client = await mqtt.connectAsync(address, how, false);
    await client.subscribeAsync(topic, { qos: QOS });
  } catch (cause) {
    const why = `the MQTT broker ${address} is not reached: ${faultText(cause)}`;
    throw new BenchmarkFault("engine", why, { cause });
  }
  return {
    client,
    publish: (to, message) => void client.publish(to, JSON.stringify(message), { qos: QOS }),
    async close() {
      // Without a broker nothing that waits to be sent ever leaves.
      const ended = client.endAsync(!client.connected).catch(() => undefined);
      const limit = new AbortController();
      const late = sleep(LEAVE_MS, undefined, { signal: limit.signal }).catch(() => undefined);
      await Promise.race([ended, late]);
      limit.abort();
      client.stream.destroy();
    },
  };
}

/** Tells when the broker stays away. */
function watchBroker({ client }: Broker, address: string, onLost: (reason: string) => void): void {
  let timer: NodeJS.Timeout | undefined;
  client.on("error", () => undefined);
  client.on("connect", () => {
    clearTimeout(timer);
    timer = undefined;
  });
  client.on("close", () => {
    // Each attempt to come back closes again: the first counts.
    if (client.disconnecting || timer !== undefined) return;
    timer = setTimeout(() => onLost(`the MQTT broker ${address} was lost`), BROKER_LIMIT_MS);
  });
  client.on("end", () => clearTimeout(timer));
}

/** The manager's end. @param startWorkers starts those that are not started elsewhere */
export function mqttManagerLink(
  address: string,
  isRemote: boolean,
  startWorkers: (count: number) => { end(): Promise<void> },
): ManagerLink {
  let broker: Broker | undefined;
  let started: { end(): Promise<void> } | undefined;
  return {
    type: "mqtt",
    isRemote,
    async start(workers, listener) {
      const opened = await openBroker(address, FROM_WORKERS, {
        clientId: `${MANAGER}-${randomUUID()}`,
      });
      broker = opened;
      opened.client.on("message", (_, payload) => {
        const message = readMessageText(payload.toString("utf8"));
        if (message && isFor(MANAGER, message)) listener.onMessage(message);
      });
      watchBroker(opened, address, (reason) => listener.onLost(undefined, reason));
      started = startWorkers(workers);
    },
    send: (message) => broker?.publish(FROM_MANAGER, message),
    async stop() {
      await broker?.close();
      await started?.end();
    },
  };
}

/** A worker's end. @throws BenchmarkFault `engine` when the broker is not reached */
export async function mqttWorkerLink(address: string): Promise<WorkerLink> {
  const id = `worker-${process.pid}-${randomUUID()}`;
  const head = { sender: id, recipients: [MANAGER], type: "lost" };
  const error = "its connection to the broker ended";
  const payload = Buffer.from(JSON.stringify(messageOf({ ...head, error })));
  // The broker says it when the worker cannot any more.
  const will = { topic: FROM_WORKERS, payload, qos: QOS, retain: false } as const;
  const broker = await openBroker(address, FROM_MANAGER, { clientId: id, will });
  return {
    id,
    send: (message) => broker.publish(FROM_WORKERS, message),
    listen(onMessage, onLost) {
      broker.client.on("message", (_, bytes) => {
        const message = readMessageText(bytes.toString("utf8"));
        if (message && isFor(id, message)) onMessage(message);
      });
      watchBroker(broker, address, onLost);
    },
    close: () => broker.close(),
  };
}
