// Control planes are lost one after the other, under writes through the virtual addresses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { withCluster } from "../e2e/cluster.fixture.ts";
import { ControlPlanes, startWrites } from "./control-plane.fixture.ts";
import { type WriteOutcome, writtenLabel } from "./control-plane-writer.ts";

const rounds = process.env["TANDEM_SOAK"] === "1" ? 20 : 3;

test(`[VIP-7] ${rounds} control planes are lost: no acknowledged write is, and clients may try again`, async (t) => {
  await withCluster({ controlPlanes: 3, nodes: 1, dns: false }, async (cluster) => {
    const planes = await ControlPlanes.of(cluster);
    await using load = await startWrites(cluster, planes);
    await load.goesOn();
    const oldest = await planes.holder();
    const first = planes.hosts.indexOf(oldest);
    for (let round = 0; round < rounds; round += 1) {
      const lost = planes.hosts[(first + round) % planes.hosts.length];
      assert.ok(lost !== undefined);
      const had = (await planes.holder()) === lost ? "which held the pair" : "which held nothing";
      const since = Date.now();
      await planes.lose(lost);
      await load.goesOn();
      await planes.recover(lost);
      await planes.areWell();
      await load.goesOn();
      for (const family of Object.keys(planes.servers)) {
        const silence = longestSilence(load.outcomes, { family, since });
        t.diagnostic(`${lost.name}, ${had}: ${family} silent for ${silence} ms`);
      }
    }
    await planes.haveSettled(oldest);
    await load.stop();

    const failures = load.outcomes.filter(({ failure }) => failure !== undefined);
    t.diagnostic(
      `${load.outcomes.length - failures.length} writes acknowledged, ${failures.length} not`,
    );
    assert.deepEqual(
      failures.filter(({ isRetryable }) => !isRetryable),
      [],
    );
    const listed = await cluster.kubectl.run("get", "configmaps", "-l", writtenLabel, "-o", "name");
    const stored = new Set(listed.trim().split("\n"));
    const acknowledged = load.outcomes.filter(({ failure }) => failure === undefined);
    assert.deepEqual(
      acknowledged.filter(({ name }) => !stored.has(`configmap/${name}`)),
      [],
    );
  });
});

/** Between two acknowledged writes. */
function longestSilence(
  outcomes: readonly WriteOutcome[],
  { family, since }: { readonly family: string; readonly since: number },
): number {
  const answered = outcomes.filter((each) => each.family === family && each.failure === undefined);
  const moments = answered.map(({ at }) => at).filter((at) => at >= since);
  const gaps = moments.map((at, index) => at - (moments[index - 1] ?? since));
  return Math.max(0, ...gaps);
}
