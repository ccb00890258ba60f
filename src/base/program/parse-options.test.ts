import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { UsageError } from "./errors.ts";
import { prefixList } from "./network-option-types.ts";
import { boolean, duration, filePath, integer, oneOf, repeated, text } from "./option-types.ts";
import { defineOptions, nameOptions, type OptionValues } from "./options.ts";
import { parseOptions } from "./parse-options.ts";

const options = defineOptions({
  config: { type: filePath(), help: "A file.", key: false },
  nodes: { type: integer({ min: 0 }), default: 3, help: "How many nodes." },
  wait: { type: boolean(), default: true, help: "Wait until all is ready." },
  mode: { type: oneOf(["nftables", "iptables"]), short: "m", help: "The mode." },
  prefix: { type: text(), default: "t-", help: "The start of every name." },
  timeout: { type: duration(), default: "30s", help: "How long to wait." },
  clusterCidr: { type: prefixList(), default: "10.0.0.0/16,fd00::/56", help: "Pod addresses." },
  label: { type: repeated(text()), help: "Labels." },
  quiet: { type: boolean(), short: "q", help: "Say less." },
  tty: { type: boolean(), short: "t", default: false, help: "A terminal." },
  podSubnet: { type: text(), key: "networking.podSubnet", env: "POD_SUBNET", help: "As kubeadm." },
});

const parse = (argv: string[], env: Record<string, string> = {}) =>
  parseOptions(options, { argv, env });

/** Compiles only if the two types are the same. */
function sameType<A, B>(same: [A] extends [B] ? ([B] extends [A] ? true : never) : never): void {
  assert.equal(same, true);
}

test("the parsed values have the declared types", async () => {
  type Values = OptionValues<typeof options>;
  sameType<Values["nodes"], number>(true);
  sameType<Values["wait"], boolean>(true);
  sameType<Values["quiet"], boolean | undefined>(true);
  sameType<Values["mode"], "nftables" | "iptables" | undefined>(true);
  sameType<Values["label"], string[] | undefined>(true);
  const needed = defineOptions({ store: { type: text(), required: true, help: "" } });
  sameType<OptionValues<typeof needed>["store"], string>(true);
  const { values } = await parse([]);
  assert.deepEqual([typeof values.nodes, typeof values.wait], ["number", "boolean"]);
  assert.deepEqual([values.quiet, values.mode, values.label], [undefined, undefined, undefined]);
});

describe("names", () => {
  const named = (property: string) =>
    nameOptions(options).find((each) => each.property === property);

  test("of the flag, the variable and the key come from the property", () => {
    const { flag, env, key } = named("clusterCidr") ?? assert.fail();
    assert.deepEqual([flag, env, key], ["cluster-cidr", "TANDEM_CLUSTER_CIDR", "clusterCidr"]);
  });

  test("of the variable and the key can be set, and the key can be left out", () => {
    assert.equal(named("podSubnet")?.env, "POD_SUBNET");
    assert.equal(named("podSubnet")?.key, "networking.podSubnet");
    assert.equal(named("config")?.key, undefined);
  });
});

describe("flags", () => {
  test("take their value behind an equals sign or a blank", async () => {
    assert.equal((await parse(["--nodes=5"])).values.nodes, 5);
    assert.equal((await parse(["--nodes", "5"])).values.nodes, 5);
    assert.equal((await parse(["--prefix=a=b"])).values.prefix, "a=b");
    assert.equal((await parse(["--prefix", "--nodes"])).values.prefix, "--nodes");
  });

  test("that are switches need none, and have an opposite", async () => {
    assert.equal((await parse([])).values.wait, true);
    assert.equal((await parse(["--no-wait"])).values.wait, false);
    assert.equal((await parse(["--wait=false"])).values.wait, false);
    const { values, words } = await parse(["--quiet", "false"]);
    assert.deepEqual([values.quiet, words], [true, ["false"]]);
  });

  test("have short forms, which can be joined", async () => {
    for (const argv of [
      ["-m", "iptables"],
      ["-miptables"],
      ["-m=iptables"],
      ["-qtm", "iptables"],
    ]) {
      assert.equal((await parse(argv)).values.mode, "iptables");
    }
    const { values } = await parse(["-qt"]);
    assert.deepEqual([values.quiet, values.tty], [true, true]);
  });

  test("count for the last time they are given, lists for all", async () => {
    assert.equal((await parse(["--nodes=1", "--nodes=2"])).values.nodes, 2);
    const { values } = await parse([
      "--label=a,b",
      "--label=c",
      "--cluster-cidr=fd00::/56",
      "--cluster-cidr=10.0.0.0/8",
    ]);
    assert.deepEqual(values.label, ["a,b", "c"]);
    assert.deepEqual(values.clusterCidr.map(String), ["fd00::/56", "10.0.0.0/8"]);
  });

  test("may stand between words, and end at two dashes", async () => {
    const { words, rest, values } = await parse([
      "a",
      "--nodes=1",
      "b",
      "-",
      "--",
      "--nodes=2",
      "c",
    ]);
    assert.deepEqual(words, ["a", "b", "-"]);
    assert.deepEqual(rest, ["--nodes=2", "c"]);
    assert.equal(values.nodes, 1);
    assert.equal((await parse(["a"])).rest, undefined);
  });
});

describe("precedence", () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "tandem-options-"));
  });
  after(() => rm(directory, { recursive: true }));
  const file = async (name: string, content: string) => {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  };

  test("is flag, environment, file, default", async () => {
    const config = await file("all.yaml", "nodes: 7\nprefix: file\ntimeout: 1m\n");
    const env = { TANDEM_CONFIG: config, TANDEM_PREFIX: "env", TANDEM_TIMEOUT: "2m" };
    const { values } = await parse(["--timeout=3m"], env);
    assert.deepEqual(
      [values.timeout, values.prefix, values.nodes, values.wait],
      [180_000, "env", 7, true],
    );
  });

  test("lets false, zero and empty be said everywhere", async () => {
    const nothing = { nodes: 0, wait: false, prefix: "", clusterCidr: [] };
    const pick = ({ values }: Awaited<ReturnType<typeof parse>>) => {
      const { nodes, wait, prefix, clusterCidr } = values;
      return { nodes, wait, prefix, clusterCidr };
    };
    const flags = ["--nodes=0", "--wait=false", "--prefix=", "--cluster-cidr="];
    const env = {
      TANDEM_NODES: "0",
      TANDEM_WAIT: "false",
      TANDEM_PREFIX: "",
      TANDEM_CLUSTER_CIDR: "",
    };
    const config = await file("nothing.json", JSON.stringify(nothing));
    const full = await file(
      "full.yaml",
      "nodes: 9\nwait: true\nprefix: full\nclusterCidr: [10.0.0.0/8]",
    );
    assert.deepEqual(pick(await parse([...flags, "--config", full])), nothing);
    assert.deepEqual(pick(await parse(["--config", full], env)), nothing);
    assert.deepEqual(pick(await parse([`--config=${config}`])), nothing);
  });

  test("reads lists and nested keys from files", async () => {
    const config = await file(
      "nested.yaml",
      "clusterCidr:\n  - fd00::/56\n  - 10.0.0.0/8\nnetworking:\n  podSubnet: here\nlabel: one\nmode:\n",
    );
    const { values } = await parse(["--config", config]);
    assert.deepEqual(values.clusterCidr.map(String), ["fd00::/56", "10.0.0.0/8"]);
    assert.equal(values.podSubnet, "here");
    assert.deepEqual(values.label, ["one"]);
    assert.equal(values.mode, undefined);
    assert.equal((await parse(["--config", await file("empty.yaml", "")])).values.nodes, 3);
  });

  test("refuses files that say what no option means", async () => {
    const cases: [string, RegExp][] = [
      ["node: 3\n", /Cannot use node in .*: there is no such key/],
      ["networking:\n  other: 3\nextra: 1\n", /Cannot use networking.other, extra in /],
      ["nodes: many\n", /Cannot use nodes=many in .*bad.yaml: expected a whole number/],
      ["nodes: [1, 2]\n", /Cannot use nodes=\[1,2\] in .*: expected one value, not a list/],
      ["nodes: {a: 1}\n", /Cannot use nodes={"a":1} in .*: expected a text/],
      ["- 1\n", /expected a mapping/],
      ["nodes: [\n", /Cannot read --config=.*bad.yaml: /],
    ];
    for (const [content, expected] of cases) {
      const config = await file("bad.yaml", content);
      await assert.rejects(parse(["--config", config]), expected);
    }
    await assert.rejects(
      parse(["--config=/nowhere/at.all"]),
      /Cannot read --config=\/nowhere\/at.all: ENOENT/,
    );
    const misspelt = await file("bad.yaml", "node: 3\n");
    await assert.rejects(parse(["--config", misspelt]), { hint: "Did you mean nodes?" });
  });
});

describe("errors", () => {
  test("name the source, the option and the value", async () => {
    const cases: [string[], Record<string, string>, string][] = [
      [["--nodes=x"], {}, "Cannot use --nodes=x: expected a whole number"],
      [["--nodes", "x"], {}, "Cannot use --nodes=x: expected a whole number"],
      [["--nodes=1", "--nodes=-1"], {}, "Cannot use --nodes=-1: expected at least 0"],
      [["-mx"], {}, "Cannot use --mode=x: expected one of nftables, iptables"],
      [[], { TANDEM_NODES: "" }, "Cannot use TANDEM_NODES=: expected a whole number"],
      [["--wait=maybe"], {}, "Cannot use --wait=maybe: expected true or false"],
      [["--no-wait=1"], {}, "Cannot use --no-wait=1: write --no-wait, which takes no value"],
      [["--nodes"], {}, "Cannot use --nodes: it needs a value, --nodes=NUMBER"],
      [["-x"], {}, "Cannot use -x: there is no such flag"],
    ];
    for (const [argv, env, message] of cases) {
      await assert.rejects(parse(argv, env), { name: "UsageError", message });
    }
  });

  test("suggest the flag that was meant", async () => {
    const hintFor = async (flag: string) => {
      try {
        await parse([flag]);
      } catch (error) {
        if (error instanceof UsageError) return error.hint;
      }
      return assert.fail(`${flag} was taken`);
    };
    assert.equal(await hintFor("--ndoes=3"), "Did you mean --nodes?");
    assert.equal(await hintFor("--cluster-cdir=3"), "Did you mean --cluster-cidr?");
    assert.equal(await hintFor("--no-wiat"), "Did you mean --no-wait?");
    assert.equal(await hintFor("--entirely-different"), undefined);
  });

  test("say how a required option can be given", async () => {
    const required = { store: { type: text("URL"), required: true, help: "" } } as const;
    await assert.rejects(parseOptions(required, { argv: [], env: {} }), {
      message: "Cannot go on without --store: it has no default",
      hint: "Give it as --store=URL, the environment variable TANDEM_STORE, or store in the configuration file.",
    });
  });
});
