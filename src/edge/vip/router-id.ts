import type { VipUse } from "./cluster.ts";

/**
 * The virtual router id of each use, from 1 to 240. It comes from the cluster's name, so that every
 * node arrives at the same one without asking, and clusters on one LAN rarely share one. The
 * instances of both families have the same: they are told apart by their family.
 */
export function routerIds(cluster: string): Record<VipUse, number> {
  return distinct(fletcher8(`${cluster}-api`) + 1, fletcher8(`${cluster}-ingress`) + 1);
}

/** Ingress steps aside. Endings with different sums never meet, which these two happen to have. */
export function distinct(api: number, ingress: number): Record<VipUse, number> {
  return { api, ingress: ingress === api ? ingress + 1 : ingress };
}

/** Fletcher's checksum of two sums of four bits: at most 238, since each is taken modulo 15. */
function fletcher8(text: string): number {
  let [sum, sumOfSums] = [0, 0];
  for (const byte of Buffer.from(text)) {
    sum = (sum + byte) % 15;
    sumOfSums = (sumOfSums + sum) % 15;
  }
  return (sumOfSums << 4) | sum;
}
