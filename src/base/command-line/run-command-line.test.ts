import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runDemo } from "./testing/demo.ts";

describe("running a command", () => {
  test("hands it typed options and arguments", async () => {
    const { code, out } = await runDemo([
      "scale",
      "web",
      "--copies=2",
      "--no-wait",
      "a",
      "-m",
      "fast",
      "--",
      "-b",
    ]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(out), {
      copies: 2,
      wait: false,
      mode: "fast",
      name: "web",
      others: ["a", "-b"],
      rest: [],
    });
  });

  test("finds it in groups, and leaves alone what follows the dashes", async () => {
    assert.equal((await runDemo(["pod", "exec", "--", "ls", "--help"])).out, "ls --help");
  });

  test("takes the exit code it gives", async () => {
    assert.equal((await runDemo(["scale", "web", "--copies=7"])).code, 3);
  });

  test("allows the options of every command before its name", async () => {
    const { code, err } = await runDemo(["--log-level", "debug", "scale", "web", "--copies=1"]);
    assert.equal(code, 0);
    assert.match(err, /"message":"scaling"/);
  });

  test("reads the environment", async () => {
    const { out } = await runDemo(["scale", "web"], { env: { TANDEM_COPIES: "0" } });
    assert.match(out, /"copies":0/);
  });
});

describe("a failure", () => {
  test("is told with its cause and what to do next", async () => {
    assert.deepEqual(await runDemo(["fail"]), {
      code: 1,
      out: "",
      err: "error: Cannot work: no power\nPlug it in.\n",
    });
  });

  test("has its stack when debugging", async () => {
    assert.match((await runDemo(["fail", "--log-level=debug"])).err, /testing\/demo\.ts/);
  });

  test("that comes from being stopped is silent, with the signal's exit code", async () => {
    const signal = AbortSignal.abort();
    assert.deepEqual(await runDemo(["stopped"], { signal }), { code: 130, out: "", err: "" });
  });

  test("to ask rightly exits with 2", async () => {
    const cases: [string[], string][] = [
      [
        ["scael"],
        'Cannot run "demo scael": there is no such command\nDid you mean "demo scale"?\nSee \'demo',
      ],
      [
        ["pod", "exce"],
        'Cannot run "demo pod exce": there is no such command\nDid you mean "demo pod exec"?',
      ],
      [
        ["scale", "--copies=1"],
        "Cannot go on without NAME: The workload.\nSee 'demo scale --help'",
      ],
      [["scale", "web"], "Cannot go on without --copies: it has no default\nGive it as"],
      [["scale", "web", "--copies=x"], "Cannot use --copies=x: expected a whole number"],
      [["pod", "exec", "extra"], 'Cannot use the argument "extra": no argument is expected'],
      [["--copeis", "scale"], "Cannot use --copeis: there is no such flag"],
      [["pod", "--nothing"], "Cannot use --nothing: there is no such flag\nSee 'demo pod --help'"],
    ];
    for (const [argv, expected] of cases) {
      const { code, out, err } = await runDemo(argv);
      assert.deepEqual([code, out], [2, ""], argv.join(" "));
      assert.ok(err.startsWith(`error: ${expected}`), err);
    }
  });
});
