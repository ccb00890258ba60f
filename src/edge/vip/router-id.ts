import type { VipUse } from "./cluster.ts";

/**
 * The virtual router id of each use, from 1 to 240. It derives from the cluster's name, so that every node
 * computes the same one, and clusters on one LAN rarely collide. The instances of both families share it:
 * VRRP keeps families apart.
 */
export function routerIds(cluster: string): Record<VipUse, number> {
  return distinct(fletcher8(`${cluster}-api`) + 1, fletcher8(`${cluster}-ingress`) + 1);
}

/**
 * Makes the two ids distinct by moving that of ingress. (The names' suffixes have different sums, so they
 * never collide.)
 */
export function distinct(api: number, ingress: number): Record<VipUse, number> {
  return { api, ingress: ingress === api ? ingress + 1 : ingress };
}

/** Fletcher's checksum with two sums of four bits: at most 238, since each is taken modulo 15. */
function fletcher8(text: string): number {
  let [sum, sumOfSums] = [0, 0];
  for (const byte of Buffer.from(text)) {
    sum = (sum + byte) % 15;
    sumOfSums = (sumOfSums + sum) % 15;
  }
  return (sumOfSums << 4) | sum;
}
