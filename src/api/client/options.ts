// The options of client requests.

import type { Preconditions } from "../types/meta.ts";

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The timeout; 30 seconds when not given. */
  readonly timeoutMs?: number | undefined;
}

export interface GetOptions extends CallOptions {
  /** The least version of the result; "0" accepts whatever the server has. The newest if not given. */
  readonly resourceVersion?: string;
}

/** A selection of objects of a kind. */
export interface Selection {
  /** The namespace; all when not given. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends GetOptions, Selection {
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** The page size; the result then has a token to continue with. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
}

export interface WatchOptions extends CallOptions, Selection {
  /** The version after which changes are delivered. */
  readonly resourceVersion?: string;
  /** Whether the server sends bookmarks of the watch's progress. */
  readonly bookmarks?: boolean;
  /** Whether the watch begins with all existing objects and a bookmark behind them. */
  readonly initialEvents?: boolean;
  /** The time after which the server ends the watch. */
  readonly timeoutSeconds?: number;
  readonly retries?: number;
}

export interface WriteOptions extends CallOptions {
  /** The manager recorded as the owner of the fields; the client's own name if not given. */
  readonly fieldManager?: string;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** Whether to validate and answer, but store nothing. */
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  /** Whether to take over fields that others own. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  /** The UID or version that the object must have to be deleted. */
  readonly preconditions?: Preconditions;
  readonly dryRun?: boolean;
}
