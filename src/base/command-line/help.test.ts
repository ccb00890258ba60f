import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatReference } from "./reference.ts";
import { demo, runDemo } from "./testing/demo.ts";

describe("help", () => {
  test("of a command shows everything about it", async () => {
    const { code, out } = await runDemo(["scale", "--copies=x", "-h"]);
    assert.equal(code, 0);
    assert.equal(
      out,
      `Change the number of copies of a workload.

Examples:
  # Run three copies
  demo scale web --copies 3

Arguments:
  NAME    The workload.
  OTHER   More of them.

Options:
      --copies NUMBER       How many. (required)
      --[no-]wait           Wait for them. (default true)
  -m, --mode fast|safe      How. (default safe)

Global Options:
      --config FILE         A YAML or JSON file with options; flags and
                            environment variables win over it.
      --log-level LEVEL     The least level that is logged: debug, info, warn or
                            error. (default info)
      --log-format FORMAT   How log lines look: text, json, or auto, which is
                            text on a terminal and json elsewhere. (default
                            auto)
  -h, --help                Print this help.

Usage:
  demo scale NAME [OTHER...] [options]

Options can also be given as environment variables and in the file of --config:
--copies is TANDEM_COPIES, and copies in the file.
`,
    );
  });

  test("of groups lists their commands, without the hidden ones", async () => {
    assert.equal(
      (await runDemo([])).out,
      `Demonstrates.

Available Commands:
  scale   Change copies
  pod     Work with pods

Usage:
  demo COMMAND [options]

Use "demo COMMAND --help" for more information about a command.
`,
    );
    assert.match((await runDemo(["pod"])).out, /^Work with pods\.\n[^]*exec {3}Run in a pod/);
    assert.match(
      (await runDemo(["pod", "exec", "--help"])).out,
      /demo pod exec \[options\] -- COMMAND \[ARG\.\.\.\]/,
    );
  });

  test("as Markdown has a section for each command", async () => {
    const reference = await formatReference(demo);
    assert.deepEqual(reference.match(/^## .*$/gm), [
      "## demo scale",
      "## demo pod exec",
      "## Global options",
    ]);
    assert.match(reference, /^\| `--copies NUMBER` \| `TANDEM_COPIES` \| `copies` \| required \|/m);
    assert.match(reference, /```sh\n# Run three copies\ndemo scale web --copies 3\n```/);
  });
});
