// Made from the tables of src/api/schema by `make types`: change those.

import type { EventSource, ObjectReference } from "./core.ts";
import type { ListMeta, NamespacedMeta } from "./meta.ts";

/** Something that happened to an object, in the newer form. */
export interface Event {
  apiVersion: "events.k8s.io/v1";
  kind: "Event";
  metadata: NamespacedMeta;
  eventTime: string;
  series?: EventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  note?: string;
  type?: string;
  deprecatedSource?: EventSource;
  deprecatedFirstTimestamp?: string;
  deprecatedLastTimestamp?: string;
  deprecatedCount?: number;
}

export interface EventList {
  apiVersion: "events.k8s.io/v1";
  kind: "EventList";
  metadata: ListMeta;
  items: Event[];
}

export interface EventSeries {
  count: number;
  lastObservedTime: string;
}
