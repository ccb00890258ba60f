import type { CallOptions } from "./command.ts";

/** The kernel's settings below /proc/sys, by paths such as `net/ipv6/conf/all/forwarding`. */
export interface Sysctl {
  /** The values, in the order of the keys. */
  read(keys: readonly string[], options?: CallOptions): Promise<readonly string[]>;
  write(settings: Readonly<Record<string, string | number>>, options?: CallOptions): Promise<void>;
}
