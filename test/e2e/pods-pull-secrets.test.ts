// Images of a registry that wants to know who asks.
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { type ImageArchives, makeArchives } from "./images.fixture.ts";
import { openPodNode, type PodNode } from "./pods.fixture.ts";
import { type Registry, startRegistry } from "./registry.fixture.ts";

const place = "127.0.0.1:5000";
const image = `${place}/team/tiny:latest`;

describe("an image that needs a login", { timeout: 240_000 }, () => {
  let node: PodNode;
  let archives: ImageArchives;
  let registry: Registry;
  let bridge: RunningCommand;
  before(async () => {
    archives = await makeArchives();
    node = await openPodNode();
    const socket = join(node.cluster.lan.scratch, "registry.sock");
    registry = await startRegistry(archives.layout, { login: "someone:se:cret", socket });
    const listen = `TCP-LISTEN:5000,bind=127.0.0.1,fork,reuseaddr`;
    const { commands } = node.node.host;
    bridge = await commands.start(["socat", listen, `UNIX-CONNECT:${socket}`], {
      diesWithParent: true,
    });
    await node.eventually("the registry", async () => {
      await commands.run(["curl", "--silent", `http://${place}/v2/`]);
      return true;
    });
  });
  after(async () => {
    await bridge?.stop();
    await registry?.close();
    await archives?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  const keep = async (name: string, auths: object) => {
    const text = JSON.stringify({ auths });
    await node.client.resource("v1", "Secret").create({
      metadata: { namespace: "default", name },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": Buffer.from(text).toString("base64") },
    });
  };
  const create = (name: string, ...secrets: string[]) =>
    node.pods.create({
      metadata: { namespace: "default", name },
      spec: {
        nodeName: "node-1",
        imagePullSecrets: secrets.map((secret) => ({ name: secret })),
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image, imagePullPolicy: "Always", args: ["sleep 600"] }],
      },
    });
  const failsToPull = (name: string) =>
    node.until(name, (pod) => {
      const { waiting } = pod?.status?.containerStatuses?.[0]?.state ?? {};
      return waiting?.reason === "ErrImagePull" || waiting?.reason === "ImagePullBackOff";
    });

  test("is refused without one, and with a wrong one", async () => {
    const auth = Buffer.from("someone:else").toString("base64");
    await keep("wrong", { [place]: { auth } });
    await create("nobody");
    await create("impostor", "wrong");
    const refused = ["nobody", "impostor"];
    await Promise.all(refused.map(failsToPull));
    assert.equal(registry.blobs(), 0);
    // Else they try again and again, with files of their own.
    for (const name of refused) await node.pods.delete({ namespace: "default", name });
    for (const name of refused) await node.until(name, (pod) => pod === undefined);
  });

  test("is had with that of a secret; others, and secrets that are none, do not matter", async () => {
    await keep("elsewhere", { "example.test": { username: "someone", password: "se:cret" } });
    await keep("right", { [`http://${place}/v2/`]: { username: "someone", password: "se:cret" } });
    await create("somebody", "absent", "elsewhere", "wrong", "right");
    await node.until("somebody", (pod) => pod?.status?.phase === "Running");
    await node.eventually("a word about the secret that is not there", async () => {
      const { items } = await node.client.resource("v1", "Event").list({ namespace: "default" });
      return items.some(
        ({ reason, message = "" }) =>
          reason === "FailedToRetrieveImagePullSecret" && message.includes("default/absent"),
      );
    });
    const left = await readdir(join(node.node.dataDir, "images/unfinished"));
    assert.deepEqual(left, [], "no file with a login is left");
  });
});
