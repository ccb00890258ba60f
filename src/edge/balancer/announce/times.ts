/**
 * How long an address may be without a node, and that it is never on two. A node says that it lives every
 * `renewMs`; the kernel takes addresses from one that has not been told for `holdSeconds`, and others
 * take over what they have not heard of for `leaseMs`, which is later. Each counts on its own clock.
 */
export interface AnnounceTimes {
  readonly renewMs: number;
  /** How long it waits for the API's answer: there has to be time for another try. */
  readonly answerMs: number;
  readonly holdSeconds: number;
  readonly leaseMs: number;
  /** How long a node that lives keeps an address which another has just got. */
  readonly handoverMs: number;
}

export const defaultTimes: AnnounceTimes = {
  renewMs: 1_000,
  answerMs: 1_500,
  holdSeconds: 3,
  leaseMs: 4_000,
  handoverMs: 500,
};
