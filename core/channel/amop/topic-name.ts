/** Topics whose subscribers are verified by the publisher. Source: channel-protocol 8.4 */

/** Beginning of the topics of block pushes. Source: channel-protocol 7.2 */
const BLOCKS = "_block_notify_";
const PRIVATE = "#!$TopicNeedVerify_";
const PUBLISHER = "#!$PushChannel_";
const SUBSCRIBER = "#!$VerifyChannel_";

/**
 * Whether no message goes to the topic: who has it waits for pushes of another type, and some
 * clients end when they are sent what they did not ask for. Source: channel-protocol 4, 7.2
 */
export function isReserved(topic: string): boolean {
  return topic.startsWith(BLOCKS);
}

/** Whether the publisher has to verify who has the topic. */
export function isPrivateTopic(topic: string): boolean {
  return topic.startsWith(PRIVATE);
}

/** The topic that publishers of a private topic have. */
export function publisherTopic(topic: string): string {
  return `${PUBLISHER}${topic}`;
}

/** By private topic the one at which a subscriber proves its key, among the topics of a node. */
export function proofTopics(ofNode: Iterable<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const candidate of ofNode) {
    if (!candidate.startsWith(SUBSCRIBER)) continue;
    // What follows the last underscore distinguishes subscribers.
    const topic = candidate.slice(SUBSCRIBER.length, candidate.lastIndexOf("_"));
    if (!found.has(topic)) found.set(topic, candidate);
  }
  return found;
}
