/**
 * The timing that bounds how long an address is without a node, and keeps it from being on two. A node renews
 * its lease every `renewMs`; the kernel removes addresses that were not refreshed for `holdSeconds`, and
 * others take over from a node that they have not heard of for `leaseMs`, which is later. Each counts on its
 * own clock.
 */
export interface AnnounceTimes {
  readonly renewMs: number;
  /** The timeout of a renewal: there has to be time for another try. */
  readonly answerMs: number;
  readonly holdSeconds: number;
  readonly leaseMs: number;
  /** The time for which a live node keeps an address that another has just taken over. */
  readonly handoverMs: number;
}

export const defaultTimes: AnnounceTimes = {
  renewMs: 1_000,
  answerMs: 1_500,
  holdSeconds: 3,
  leaseMs: 4_000,
  handoverMs: 500,
};
