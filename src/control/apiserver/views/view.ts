// How objects are shown to a client: whole, as table rows, or only their metadata. A view writes the
// bytes of one object or the parts of a list; items are never parsed when they can be passed on as JSON.
import type { Item } from "../cache/item.ts";

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface View {
  /** Views with the same id write the same bytes. */
  readonly id: string;
  readonly media: "json" | "protobuf";
  single(item: Item): Buffer;
  /** What stands before the entries of a list of JSON, and behind them. Entries are joined by commas. */
  open(metadata: ListMetadata): string;
  readonly close: string;
  /** Empty when the object has nothing to show. */
  entry(item: Item): Buffer;
  /** A bookmark tells a watcher how far it has come. */
  bookmark(metadata: { resourceVersion: string; annotations?: Record<string, string> }): Buffer;
}
