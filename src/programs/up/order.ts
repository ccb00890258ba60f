import { type ClusterSettings, readSettings } from "./settings.ts";

/** The order that tells the program inside of an enclosure what to run. */
export interface Order {
  readonly settings: ClusterSettings;
  readonly dataDir: string;
  /** The port of the API on the machine's loopback. */
  readonly port: number;
  /** Whether pods can have cgroups: an ordinary user cannot make any. */
  readonly hasCgroups: boolean;
  /** Whether the user names virtual addresses; otherwise those of a cluster that was up before stay. */
  readonly namesVips: boolean;
}

export function orderText(order: Order): string {
  return JSON.stringify(order);
}

export function readOrder(text: string): Order {
  const { settings, ...rest } = JSON.parse(text) as Omit<Order, "settings"> & { settings: object };
  return { ...rest, settings: readSettings(JSON.stringify(settings)) };
}
