/** Topics whose subscribers are verified by the publisher. Source: channel-protocol 8.4 */

const PRIVATE = "#!$TopicNeedVerify_";
const PUBLISHER = "#!$PushChannel_";
const SUBSCRIBER = "#!$VerifyChannel_";

/** Whether the publisher has to verify who has the topic. */
export function isPrivateTopic(topic: string): boolean {
  return topic.startsWith(PRIVATE);
}

/** The topic that publishers of a private topic have. */
export function publisherTopic(topic: string): string {
  return `${PUBLISHER}${topic}`;
}

/** The topic at which a subscriber of a private topic proves its key, among those of its node. */
export function proofTopic(topic: string, ofNode: Iterable<string>): string | undefined {
  const beginning = `${SUBSCRIBER}${topic}_`;
  for (const candidate of ofNode) if (candidate.startsWith(beginning)) return candidate;
  return undefined;
}
