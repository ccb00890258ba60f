import type { CallOptions } from "./command.ts";
import { HostError } from "./error.ts";

/** Network namespaces that live as long as their name, with or without processes inside. */
export interface NetworkNamespaces {
  /**
   * Makes an empty one, its loopback up, and returns its path. A name that is taken is an error, be it
   * by the leftover of a creation that was killed: delete it first.
   */
  create(name: string, options?: CallOptions): Promise<string>;
  /** Takes the name away; the namespace ends with the last process inside. Also when there is none. */
  delete(name: string, options?: CallOptions): Promise<void>;
  exists(name: string): Promise<boolean>;
  /** Names with this beginning, sorted, leftovers included. */
  list(prefix?: string): Promise<readonly string[]>;
  /** What `Commands` and `ip link set … netns` take. */
  path(name: string): string;
}

export function namespaceExists(path: string, cause?: Error): HostError {
  const message = `Cannot create network namespace ${path}: the name is taken`;
  return new HostError(message, { reason: "already-exists", cause });
}
