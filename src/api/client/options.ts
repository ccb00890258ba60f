// What the requests of a client can be given.

import type { Preconditions } from "../types/meta.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** 30 seconds when not given. */
  readonly timeoutMs?: number | undefined;
}

export interface GetOptions extends CallOptions {
  /** Not older than this; "0" is whatever the server has at hand. The newest if not given. */
  readonly resourceVersion?: string;
}

/** Which objects of a kind. */
export interface Selection {
  /** Every namespace when not given. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends GetOptions, Selection {
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** At most so many; the answer then says where to go on. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

export interface WatchOptions extends CallOptions, Selection {
  /** Changes after this one. */
  readonly resourceVersion?: string;
  /** Tell now and then how far the watch has come. */
  readonly bookmarks?: boolean;
  /** Tell what is there first, then that it was all. */
  readonly initialEvents?: boolean;
  /** When the server shall end the watch. */
  readonly timeoutSeconds?: number;
  readonly retries?: number;
}

export interface WriteOptions extends CallOptions {
  /** Who is recorded as the owner of the fields; the client's own name if not given. */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** Check and answer, but store nothing. */
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  /** Take over fields that others own. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  /** Delete only this incarnation or version of the object. */
  readonly preconditions?: Preconditions;
  readonly dryRun?: boolean;
}
