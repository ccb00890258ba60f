import type { CallOptions } from "../../../base/host/command.ts";

/** The kernel's virtual services, by ipvsadm(8). They are the same for both families. */
export interface IpvsAdmin {
  /** Carries out lines such as `-A -t 10.96.0.1:80 -s rr`, in order, up to the first that fails. */
  restore(lines: readonly string[], options?: CallOptions): Promise<void>;
  /** Returns all virtual services in the words of `restore`, servers after their service. */
  save(options?: CallOptions): Promise<readonly string[]>;
  /** Returns the number of connections of each server, by service; an absent server has none. */
  connections(services: readonly string[], options?: CallOptions): Promise<Connections>;
}

export type Connections = ReadonlyMap<string, ReadonlyMap<string, number>>;
