// Deployments rolled out, rolled back, paused and restarted by genuine kubectl and our controllers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../fixtures/controllers.ts";
import { forEveryKubectlWithNodes, images } from "./rollout.fixture.ts";

forEveryKubectlWithNodes("[API-1] rollouts", (given) => {
  const run = (...words: string[]) => given.kubectl.run(...words);
  const read = (what: string, path: string) =>
    run("get", ...what.split(" "), "-o", `jsonpath=${path}`);
  const deploy = async (name: string) => {
    await run("create", "deployment", name, `--image=${images.good}`, "--replicas=3");
    await settled(name);
  };
  const settled = async (name: string) => {
    const said = await run("rollout", "status", `deployment/${name}`, "--timeout=60s");
    assert.match(said, new RegExp(`deployment "${name}" successfully rolled out\n$`));
  };
  /** kubectl names containers of `create deployment` after their image. */
  const setImage = (name: string, image: string) =>
    run("set", "image", `deployment/${name}`, `*=${image}`);
  const imagesOf = (name: string) =>
    read(`pods -l app=${name}`, "{.items[*].spec.containers[0].image}");

  test("status, history and undo", async () => {
    await deploy("shop");
    assert.equal(await imagesOf("shop"), Array(3).fill(images.good).join(" "));
    await setImage("shop", images.better);
    await settled("shop");
    assert.match(
      await run("rollout", "history", "deployment/shop"),
      /REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>/,
    );
    assert.match(
      await run("rollout", "history", "deployment/shop", "--revision=1"),
      new RegExp(`Image:\\s+${images.good}\n`),
    );
    await run("rollout", "undo", "deployment/shop");
    await settled("shop");
    assert.equal(
      await read("deployment shop", "{.spec.template.spec.containers[0].image}"),
      images.good,
    );
    assert.match(
      await run("rollout", "history", "deployment/shop"),
      /REVISION +CHANGE-CAUSE\n2 +<none>\n3 +<none>/,
    );
    await run("rollout", "undo", "deployment/shop", "--to-revision=2");
    await settled("shop");
    const running = await until(
      () => imagesOf("shop"),
      (found) => found.split(" ").length === 3,
    );
    assert.equal(running, Array(3).fill(images.better).join(" "));
  });

  test("pause and resume", async () => {
    await deploy("paused");
    await run("rollout", "pause", "deployment/paused");
    await setImage("paused", images.better);
    const observed = () => read("deployment paused", "{.status.observedGeneration}");
    const wanted = await read("deployment paused", "{.metadata.generation}");
    await until(observed, (generation) => generation === wanted);
    assert.equal(await imagesOf("paused"), Array(3).fill(images.good).join(" "));
    const refused = await given.kubectl.try([
      "rollout",
      "undo",
      "deployment/paused",
      "--to-revision=1",
    ]);
    assert.match(refused.stderr, /cannot rollback a paused deployment/);
    await run("rollout", "resume", "deployment/paused");
    await settled("paused");
    assert.equal(
      await read("deployment paused", "{.status.updatedReplicas}/{.status.availableReplicas}"),
      "3/3",
    );
  });

  test("restart", async () => {
    await deploy("again");
    const sets = () => read("replicasets -l app=again", "{.items[*].metadata.name}");
    const before = await sets();
    await run("rollout", "restart", "deployment/again");
    await settled("again");
    const both = (await sets()).split(" ");
    assert.equal(both.length, 2);
    assert.ok(both.includes(before));
    assert.match(await run("get", "replicasets", "-l", "app=again"), /-\w+ +0 +0 +0 +/);
  });

  test("a rollout that does not come about", async () => {
    await deploy("stuck");
    const deadline = (progressDeadlineSeconds: number) =>
      run(
        "patch",
        "deployment",
        "stuck",
        "-p",
        JSON.stringify({ spec: { progressDeadlineSeconds } }),
      );
    await deadline(1);
    await setImage("stuck", images.neverReady);
    const { code, stderr } = await given.kubectl.try([
      "rollout",
      "status",
      "deployment/stuck",
      "--timeout=60s",
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /deployment "stuck" exceeded its progress deadline/);
    const available = await read("deployment stuck", "{.status.availableReplicas}");
    assert.equal(available, "3", "a quarter of three pods may be missing, rounded down");
    // The way back is a rollout as well, and may take its time.
    await deadline(600);
    await run("rollout", "undo", "deployment/stuck");
    await settled("stuck");
  });

  test("scale, expose and autoscale", async () => {
    await deploy("sold");
    await run("scale", "deployment/sold", "--replicas=5", "--current-replicas=3");
    await settled("sold");
    assert.match(await run("get", "deployment", "sold"), /sold +5\/5 +5 +5 /);
    await run("expose", "deployment", "sold", "--port=80", "--target-port=8080");
    assert.equal(
      await read("service sold", "{.spec.selector.app}:{.spec.ports[0].targetPort}"),
      "sold:8080",
    );
    await run("autoscale", "deployment", "sold", "--max=3");
    assert.equal(
      await read("hpa sold", "{.spec.scaleTargetRef.name}:{.spec.maxReplicas}"),
      "sold:3",
    );
  });

  test("what a deployment owns goes with it, unless it is to stay", async () => {
    await deploy("gone");
    await deploy("kept");
    await run("delete", "deployment", "gone");
    const left = () => read("replicasets,pods -l app=gone", "{.items[*].metadata.name}");
    await until(left, (names) => names === "");
    await run("delete", "deployment", "kept", "--cascade=orphan");
    assert.equal(await read("replicasets -l app=kept", "{.items[*].metadata.ownerReferences}"), "");
    assert.equal((await imagesOf("kept")).split(" ").length, 3);
  });
});
