import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { VolumeMount } from "../../../api/types/core.ts";
import { mountsOf } from "../containers/mounts.ts";
import { slotsOf } from "../decide/slots.ts";
import { podOf } from "../testing/pod.ts";
import { putFiles } from "./atomic-files.system.ts";
import { prepareHostPath } from "./host-path.system.ts";
import { type PayloadSources, payloadOf, payloadPartsOf } from "./payload.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tandem-volumes-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const files = (texts: Readonly<Record<string, string>>, mode = 0o644) =>
  new Map(
    Object.entries(texts).map(([path, text]) => [path, { content: Buffer.from(text), mode }]),
  );

describe("files that change all at once", () => {
  test("are reached through one pointer", async () => {
    assert.equal(await putFiles(directory, files({ a: "1", "deep/b": "2" }, 0o600)), true);
    assert.equal(await readFile(join(directory, "a"), "utf8"), "1");
    assert.equal(await readFile(join(directory, "deep/b"), "utf8"), "2");
    assert.equal((await stat(join(directory, "a"))).mode & 0o777, 0o600);
    assert.equal(await readlink(join(directory, "a")), "..data/a");
  });

  test("leave nothing of what was before, and stay when nothing changes", async () => {
    await putFiles(directory, files({ a: "1", gone: "x" }));
    const before = await readlink(join(directory, "..data"));
    assert.equal(await putFiles(directory, files({ a: "1", gone: "x" })), false);
    assert.equal(await putFiles(directory, files({ a: "2" })), true);
    const after = await readlink(join(directory, "..data"));
    assert.notEqual(after, before);
    assert.deepEqual((await readdir(directory)).toSorted(), [after, "..data", "a"].toSorted());
  });

  test("can be read by the group of the pod's volumes", async () => {
    const group = process.getegid?.() ?? 0;
    await putFiles(directory, files({ a: "1" }, 0o600), { group });
    const { mode, gid } = await stat(join(directory, "a"));
    assert.equal(mode & 0o777, 0o640);
    assert.equal(gid, group);
  });
});

describe("what volumes hold", () => {
  const sources: PayloadSources = {
    facts: {
      pod: podOf("web", { metadata: { labels: { app: "web", tier: 'a"b' } } }),
      podIPs: ["fd00::5", "10.0.0.5"],
      hostIPs: [],
      allocatable: {},
    },
    async configMap(name) {
      const metadata = { namespace: "default", name };
      if (name !== "settings") return undefined;
      const binaryData = { logo: Buffer.from([0, 255]).toString("base64") };
      return {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata,
        data: { colour: "green" },
        binaryData,
      };
    },
    secret: () => Promise.resolve(undefined),
    token: ({ audience = "" }) => Promise.resolve(`token for ${audience}`),
  };

  const texts = async (volume: Parameters<typeof payloadPartsOf>[0]) => {
    const payload = await payloadOf(payloadPartsOf(volume) ?? [], sources, "spec.volumes[0]");
    return Object.fromEntries(
      [...payload].map(([path, { content, mode }]) => [
        path,
        `${Buffer.from(content).toString("latin1")} ${mode.toString(8)}`,
      ]),
    );
  };

  test("a config map, whole or in part", async () => {
    assert.deepEqual(await texts({ name: "v", configMap: { name: "settings" } }), {
      colour: "green 644",
      logo: "\0ÿ 644",
    });
    const items = [{ key: "colour", path: "x/y", mode: 0o600 }];
    const configMap = { name: "settings", defaultMode: 0o640, items };
    assert.deepEqual(await texts({ name: "v", configMap }), { "x/y": "green 600" });
  });

  test("[POD-8] the pod itself, and tokens", async () => {
    const show = (path: string, fieldPath: string) => ({ path, fieldRef: { fieldPath } });
    const items = [show("ips", "status.podIPs"), show("labels", "metadata.labels")];
    const serviceAccountToken = { path: "token", audience: "vault" };
    const projected = {
      sources: [{ downwardAPI: { items } }, { serviceAccountToken }],
      defaultMode: 0o400,
    };
    assert.deepEqual(await texts({ name: "v", projected }), {
      ips: "fd00::5,10.0.0.5 400",
      labels: 'app="web"\ntier="a\\"b" 400',
      token: "token for vault 400",
    });
  });

  test("what is missing is named, unless it may be", async () => {
    const missing = { name: "v", secret: { secretName: "keys" } };
    await assert.rejects(texts(missing), {
      message: 'Cannot fill spec.volumes[0]: secret "keys" not found',
    });
    assert.deepEqual(await texts({ name: "v", secret: { ...missing.secret, optional: true } }), {});
  });
});

describe("paths of the node", () => {
  test("are made or checked, as the volume says", async () => {
    const path = join(directory, "new");
    await assert.rejects(prepareHostPath({ path, type: "Directory" }, "spec.volumes[0]"), {
      message: `Cannot use spec.volumes[0].hostPath.path "${path}": it is not there`,
    });
    await prepareHostPath({ path, type: "DirectoryOrCreate" }, "");
    await prepareHostPath({ path, type: "Directory" }, "");
    await assert.rejects(prepareHostPath({ path, type: "Socket" }, ""), {
      message: /it is not a socket$/,
    });
    await prepareHostPath({ path: join(path, "file"), type: "FileOrCreate" }, "");
    await prepareHostPath({ path: join(path, "file"), type: "File" }, "");
  });
});

describe("mounts", () => {
  const mounted = (mount: Partial<VolumeMount>, isReadOnly = false) => {
    const volumeMounts = [{ name: "data", mountPath: "/data", ...mount }];
    const [slot] = slotsOf(podOf("web", { container: { volumeMounts } }).spec);
    assert.ok(slot);
    const volumeOf = (name: string) =>
      name === "data" ? { path: directory, isReadOnly } : undefined;
    const etc = { source: "/x/hosts", destination: "/etc/hosts" };
    return mountsOf(slot, { volumeOf, environment: { USER: "me" }, files: [etc] });
  };

  test("come with the pod's files, those inside of others last", () => {
    const mounts = mounted({ mountPath: "/" });
    assert.deepEqual(
      mounts.map(({ destination }) => destination),
      ["/", "/etc/hosts"],
    );
    assert.equal(mounted({ mountPath: "/etc/hosts" }).length, 1);
  });

  test("can be a part of a volume, made when it is missing", () => {
    const [, mount] = mounted({ mountPath: "/data/a/b", subPathExpr: "users/$(USER)" });
    assert.equal(mount?.source, directory);
    assert.deepEqual([mount.inside, mount.isMade, mount.isOwn], ["users/me", true, true]);
    assert.equal(mounted({ subPath: "none" }, true)[0]?.isMade, false);
  });

  test("[SEC-1] name nothing outside of the volume", () => {
    for (const subPath of ["../x", "/etc", "a/../../b", "a/.."]) {
      assert.throws(() => mounted({ subPath }), { message: /it is outside of the volume$/ });
      assert.throws(() => mounted({ subPathExpr: subPath }), { message: /outside of the volume$/ });
      assert.throws(() => mounted({ subPathExpr: "$(NOBODY)/x" }), { message: /"NOBODY" is not/ });
    }
  });

  test("of what is not there are refused", () => {
    assert.throws(() => mounted({ name: "none" }), {
      message: 'Cannot use spec.containers[0].volumeMounts[0]: there is no volume "none"',
    });
  });
});
