// Runs controllers for one term, with informer caches of their own, which end with it.

import { EventRecorder } from "../../api/client/events.ts";
import { Informers } from "../../api/client/informer.ts";
import { runAll } from "../../base/program/run-all.ts";
import { type ControllerBase, type ControllerEntry, createContexts } from "./context.ts";

export type ControllerSettings = Omit<ControllerBase, "informers" | "recorder">;

export async function runControllers(
  entries: readonly ControllerEntry[],
  settings: ControllerSettings,
  signal: AbortSignal,
): Promise<void> {
  const informers = new Informers(settings);
  const recorder = new EventRecorder({
    ...settings,
    events: settings.client.resource("v1", "Event"),
    component: "tandem-controllers",
  });
  const contextOf = createContexts({ ...settings, informers, recorder });
  const parts = entries.map((entry) => entry.create(contextOf(entry.name)));
  const caches = { name: "caches", run: (until: AbortSignal) => informers.run(until) };
  await runAll([caches, recorder, ...parts], signal);
}
