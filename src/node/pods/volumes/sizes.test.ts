import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { EmptyDirVolumeSource, PodSpec } from "../../../api/types/core.ts";
import { systemCommands } from "../../../base/host/command.system.ts";
import type { PodVolumes } from "./pod-volumes.ts";
import { VolumeSizes } from "./sizes.ts";

const specWith = (emptyDir: EmptyDirVolumeSource): PodSpec => ({
  containers: [],
  volumes: [{ name: "scratch", emptyDir }],
});

test("[SEC-5] a volume on disk beyond its sizeLimit evicts its pod", async (t) => {
  const path = await mkdtemp(join(tmpdir(), "tandem-sizes-"));
  t.after(() => rm(path, { recursive: true }));
  const volumes = { get: () => ({ path, isReadOnly: false }) } as unknown as PodVolumes;
  const sizes = new VolumeSizes(systemCommands(), volumes);
  const limited = specWith({ sizeLimit: "1Mi" });
  await writeFile(join(path, "small"), Buffer.alloc(100_000));
  // What a link leads to is not the volume's.
  await symlink("/usr", join(path, "link"));
  assert.equal(await sizes.excess(limited), undefined);
  await writeFile(join(path, "large"), Buffer.alloc(1 << 20));
  assert.deepEqual(await sizes.excess(limited), {
    reason: "Evicted",
    message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
  });
});

test("[SEC-5] volumes without a limit on disk are not looked at", () => {
  const sizes = new VolumeSizes(systemCommands(), {} as PodVolumes);
  assert.equal(sizes.dueAt(specWith({})), undefined);
  assert.equal(sizes.dueAt(specWith({ sizeLimit: "0" })), undefined);
  assert.equal(sizes.dueAt(specWith({ medium: "Memory", sizeLimit: "1Mi" })), undefined);
  const limited = specWith({ sizeLimit: "1Mi" });
  assert.equal(sizes.dueAt(limited), 0);
  sizes.postpone(5);
  assert.equal(sizes.dueAt(limited), 10_005);
});
