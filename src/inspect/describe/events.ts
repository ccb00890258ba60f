import { shortDuration } from "../../api/kinds/age.ts";
import type { Event } from "../../api/types/core.ts";
import { field, indented, table } from "./layout.ts";

export function eventLines(events: readonly Event[], now: Date): string[] {
  if (events.length === 0) return field("Events", undefined);
  const rows = events
    .toSorted(byTime)
    .map((event) => [
      event.type ?? "",
      event.reason ?? "",
      age(event, now),
      event.source?.component || event.reportingComponent || "",
      (event.message ?? "").replaceAll(/\s+/g, " ").trim(),
    ]);
  return ["Events:", ...indented(table(["Type", "Reason", "Age", "From", "Message"], rows))];
}

function byTime(a: Event, b: Event): number {
  return lastTime(a) - lastTime(b);
}

function lastTime({ lastTimestamp, eventTime, metadata }: Event): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "") || 0;
}

function age(event: Event, now: Date): string {
  const since = (time: number) => shortDuration(Math.max(0, now.getTime() - time));
  const { count = 1, firstTimestamp } = event;
  const last = since(lastTime(event));
  if (count <= 1 || firstTimestamp === undefined) return last;
  return `${last} (x${count} over ${since(Date.parse(firstTimestamp))})`;
}
