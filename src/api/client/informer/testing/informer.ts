// The fixture of the informers' tests.

import { FakeClock } from "../../../../base/host/clock.fake.ts";
import { FakeRandom } from "../../../../base/host/random.fake.ts";
import { createLog } from "../../../../base/program/log.ts";
import { Registry } from "../../../../base/program/metrics.ts";
import type { Pod } from "../../../types/core.ts";
import { unanswered } from "../../errors.ts";
import { FakeApi } from "../../testing/api.ts";
import type { Informer, InformerOptions } from "../informer.ts";
import { Informers } from "../informers.ts";

export const lost = () => unanswered("GET", { reason: "ConnectionLost", state: "cut" });

export function setUpInformers() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const lines: { level: string; message: string }[] = [];
  const log = createLog({
    format: "json",
    write: (line) => lines.push(JSON.parse(line) as { level: string; message: string }),
  });
  const metrics = new Registry();
  const informers = new Informers({ clock, random: new FakeRandom(), log, metrics });
  const stop = new AbortController();
  const pods = api.client.resource("v1", "Pod");
  const create = (name: string, labels: Record<string, string> = {}, nodeName = "") =>
    pods.create({
      metadata: { namespace: "default", name, labels },
      spec: { containers: [{ name: "main" }], nodeName },
    });
  const running: Promise<void>[] = [];
  return {
    api,
    clock,
    lines,
    metrics,
    informers,
    pods,
    create,
    stop,
    run: () => running.push(informers.run(stop.signal)),
    /** Waits until everything has happened that follows at once. */
    settle: () => clock.advance(0),
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await Promise.all(running);
    },
    /** Creates an informer of pods and runs it. */
    start: async (options: InformerOptions<Pod> = {}) => {
      const informer = informers.of(pods, options);
      running.push(informers.run(stop.signal));
      await clock.advance(0);
      return informer;
    },
  };
}

/** Records changes: names with the version that the cache has at that time, `-` when it has none. */
export function recordChanges(informer: Informer<Pod>): string[] {
  const told: string[] = [];
  informer.subscribe((key) => {
    const version = informer.get(key)?.metadata.resourceVersion ?? "-";
    told.push(`${key.replace("default/", "")} ${version}`);
  });
  return told;
}
