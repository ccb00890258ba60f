import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { complete } from "./complete.ts";
import { demo } from "./testing/demo.ts";

describe("completion", () => {
  const offers = async (...words: string[]) => {
    const { candidates, shell } = await complete(demo, words);
    return [
      ...candidates.map((candidate) => candidate.text),
      ...(shell === "nothing" ? [] : [shell]),
    ];
  };

  test("offers commands", async () => {
    assert.deepEqual(await offers(""), ["scale", "pod"]);
    assert.deepEqual(await offers("s"), ["scale"]);
    assert.deepEqual(await offers("pod", ""), ["exec"]);
    assert.deepEqual(await offers("nothing", ""), []);
  });

  test("offers flags, with their opposites", async () => {
    assert.deepEqual(await offers("scale", "web", "--"), [
      "--copies=",
      "--wait",
      "--no-wait",
      "--mode=",
      "--config=",
      "--log-level=",
      "--log-format=",
      "--help",
    ]);
    assert.deepEqual(await offers("--l"), ["--log-level=", "--log-format="]);
  });

  test("offers values", async () => {
    assert.deepEqual(await offers("scale", "--mode", ""), ["fast", "safe"]);
    assert.deepEqual(await offers("scale", "-m", "f"), ["fast"]);
    assert.deepEqual(await offers("scale", "--mode=s"), ["--mode=safe"]);
    assert.deepEqual(await offers("--log-level", "debug", "sc"), ["scale"]);
    assert.deepEqual(await offers("scale", "--config", ""), ["files"]);
    assert.deepEqual(await offers("scale", "--wait", ""), []);
    assert.deepEqual(await offers("scale", "--nothing=", ""), []);
  });

  test("leaves to the shell what another program is asked", async () => {
    assert.deepEqual(await offers("pod", "exec", "--", "l"), ["files"]);
    assert.deepEqual(await offers("scale", "--", "--"), []);
  });
});
