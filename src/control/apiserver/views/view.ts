// Views: objects as a client sees them, whole, as table rows, or as metadata only. A view writes the bytes of
// one object or the parts of a list; items are not parsed when they can be passed on as JSON.
import type { Item } from "../cache/item.ts";

export interface ListMetadata {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface View {
  /** The id; views with the same id write the same bytes. */
  readonly id: string;
  readonly media: "json" | "protobuf";
  /** The same view in JSON, of one in protobuf. */
  readonly json?: View;
  /** Makes items ready to be written; `undefined` when they are. */
  prepare?(items: readonly Item[]): Promise<void> | undefined;
  single(item: Item): Buffer;
  /** The texts before and after the entries of a JSON list. Entries are joined by commas. */
  open(metadata: ListMetadata): string;
  readonly close: string;
  /** Returns the entry of an object; empty when it has nothing to show. */
  entry(item: Item): Buffer;
  /** Returns a bookmark, which tells a watcher how far it has come. */
  bookmark(metadata: { resourceVersion: string; annotations?: Record<string, string> }): Buffer;
}
