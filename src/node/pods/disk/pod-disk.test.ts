import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Container, EmptyDirVolumeSource, PodSpec } from "../../../api/types/core.ts";
import { systemCommands } from "../../../base/host/command.system.ts";
import { type DiskPlaces, PodDisk } from "./pod-disk.ts";

const specWith = (emptyDir: EmptyDirVolumeSource, containers: Container[] = []): PodSpec => ({
  containers,
  volumes: [{ name: "scratch", emptyDir }],
});
const limitedTo = (name: string, limit: string): Container => ({
  name,
  resources: { limits: { "ephemeral-storage": limit } },
});

describe("the disk of a pod", () => {
  let root: string;
  let disk: PodDisk;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "tandem-disk-"));
    for (const folder of ["scratch", "log", "changes"]) await mkdir(join(root, folder));
    const containers = [{ logPath: join(root, "log/0.log"), changes: join(root, "changes") }];
    disk = new PodDisk(systemCommands(), {
      volumes: { get: (name: string) => ({ path: join(root, name) }) },
      containerStates: (name) => (name === "main" ? containers : []),
    });
  });
  afterEach(() => rm(root, { recursive: true }));
  const write = (path: string, bytes: number) =>
    writeFile(join(root, path), Buffer.alloc(bytes, "x"));

  test("[SEC-5] a volume on disk beyond its sizeLimit evicts its pod", async () => {
    const limited = specWith({ sizeLimit: "1Mi" });
    await write("scratch/small", 100_000);
    // What a link leads to is not the volume's.
    await symlink("/usr", join(root, "scratch/link"));
    assert.equal(await disk.excess(limited), undefined);
    await write("scratch/large", 1 << 20);
    assert.deepEqual(await disk.excess(limited), {
      reason: "Evicted",
      message: 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi". ',
    });
  });

  test("[SEC-5] a container whose files and logs are beyond its ephemeral-storage evicts its pod", async () => {
    const spec: PodSpec = { containers: [limitedTo("main", "1Mi"), limitedTo("other", "1Gi")] };
    await write("changes/file", 700_000);
    assert.equal(await disk.excess(spec), undefined);
    await write("log/0.log.20260101-000000", 700_000);
    assert.deepEqual(await disk.excess(spec), {
      reason: "Evicted",
      message: 'Container main exceeded its local ephemeral storage limit "1Mi". ',
    });
  });

  test("[SEC-5] a pod whose containers and volumes together are beyond all limits is evicted", async () => {
    const spec = specWith({}, [limitedTo("main", "1Mi"), { name: "free" }]);
    await write("changes/file", 700_000);
    assert.equal(await disk.excess(spec), undefined);
    await write("scratch/file", 700_000);
    assert.deepEqual(await disk.excess(spec), {
      reason: "Evicted",
      message: "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
    });
  });
});

test("[SEC-5] a pod without a limit on disk is not looked at", () => {
  const disk = new PodDisk(systemCommands(), {} as DiskPlaces);
  assert.equal(disk.dueAt(specWith({})), undefined);
  assert.equal(disk.dueAt(specWith({ sizeLimit: "0" })), undefined);
  assert.equal(disk.dueAt(specWith({ medium: "Memory", sizeLimit: "1Mi" })), undefined);
  assert.equal(disk.dueAt({ containers: [limitedTo("main", "0")] }), undefined);
  assert.equal(disk.dueAt({ containers: [limitedTo("main", "1Mi")] }), 0);
  const limited = specWith({ sizeLimit: "1Mi" });
  assert.equal(disk.dueAt(limited), 0);
  disk.postpone(5);
  assert.equal(disk.dueAt(limited), 10_005);
});
