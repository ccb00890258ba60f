// The command line as people start it: through bin/tandem, from shells, links and bare copies.

import assert from "node:assert/strict";
import { type SpawnSyncOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import manifest from "../../package.json" with { type: "json" };

const bin = resolve(import.meta.dirname, "../../bin");
const tandemPath = join(bin, "tandem");

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "tandem-cli-"));
});
after(() => rm(directory, { recursive: true }));

function tandem(args: readonly string[], options: SpawnSyncOptions & { command?: string } = {}) {
  const { command = tandemPath, ...others } = options;
  const { status, stdout, stderr } = spawnSync(command, args, {
    timeout: 60_000,
    ...others,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("tandem", () => {
  test("version prints the version of package.json", () => {
    const { status, stdout, stderr } = tandem(["version"]);
    assert.match(stdout, new RegExp(`^Tandem ${manifest.version} \\(Node 26\\.`));
    assert.deepEqual([status, stderr], [0, ""]);
    const { stdout: json } = tandem(["version", "-o", "json"]);
    assert.deepEqual(Object.keys(JSON.parse(json) as object), ["version", "node", "platform"]);
    assert.match(tandem(["version", "--output=yaml"]).stdout, /^version: \d/);
  });

  test("without a command lists them", () => {
    const { status, stdout } = tandem([]);
    assert.equal(status, 0);
    assert.match(stdout, /^ {2}version +Print the version of Tandem$/m);
    assert.equal(tandem(["--help"]).stdout, stdout);
    assert.equal(tandem(["help"]).stdout, stdout);
    assert.equal(tandem(["help", "version"]).stdout, tandem(["version", "-h"]).stdout);
  });

  test("asked wrongly says what to do, and exits with 2", () => {
    assert.deepEqual(tandem(["verison"]), {
      status: 2,
      stdout: "",
      stderr: `error: Cannot run "tandem verison": there is no such command
Did you mean "tandem version"?
See 'tandem --help' for usage.
`,
    });
    const { status, stderr } = tandem(["version"], {
      env: { ...process.env, TANDEM_LOG_LEVEL: "loud" },
    });
    assert.equal(status, 2);
    assert.match(stderr, /^error: Cannot use TANDEM_LOG_LEVEL=loud: expected one of debug, /);
  });

  test("reads a configuration file", async () => {
    const config = join(directory, "tandem.yaml");
    await writeFile(config, "logLevel: debug\nlogLevle: info\n");
    const { status, stderr } = tandem(["version", "--config", config]);
    assert.equal(status, 2);
    assert.match(stderr, /^error: Cannot use logLevle in .*tandem\.yaml: there is no such key\n/);
    assert.match(stderr, /Did you mean logLevel\?/);
  });

  test("survives a reader that has seen enough", async () => {
    const child = spawn(tandemPath, ["docs"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    let complaints = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaints += text));
    const [status] = (await once(child, "close")) as [number];
    assert.deepEqual([status, complaints], [0, ""]);
  });

  test("docs prints a section for every command", () => {
    const { stdout } = tandem(["docs"]);
    for (const name of ["up", "down", "version", "completion"]) {
      assert.match(stdout, new RegExp(`^## tandem ${name}$`, "m"));
    }
    assert.match(
      stdout,
      /^\| `--log-level LEVEL` \| `TANDEM_LOG_LEVEL` \| `logLevel` \| `info` \|/m,
    );
    assert.doesNotMatch(stdout, /__complete/);
  });
});

describe("the launcher", () => {
  test("works through links, from any folder, without a home", async () => {
    const link = join(directory, "link");
    const linkToLink = join(directory, "link-to-link");
    await symlink(tandemPath, link);
    await symlink("link", linkToLink);
    const { HOME: _, XDG_CACHE_HOME: __, ...env } = process.env;
    for (const command of [link, linkToLink]) {
      assert.equal(tandem(["version"], { command, cwd: "/", env }).status, 0);
    }
    const found = tandem(["-c", "link version"], {
      command: "sh",
      env: { ...env, PATH: `${directory}:${env["PATH"]}` },
    });
    assert.match(found.stdout, /^Tandem /);
  });

  test("says what to do when packages are missing", async () => {
    await cp(bin, join(directory, "bare", "bin"), { recursive: true });
    const { status, stderr } = tandem(["version"], {
      command: join(directory, "bare", "bin", "tandem"),
    });
    assert.equal(status, 1);
    assert.match(stderr, /^error: Cannot start tandem: its packages are not installed in .*bare\n/);
    assert.match(stderr, /^Run 'make -C .*bare build'/m);
  });

  test("keeps compiled code in the user's cache", async () => {
    const env = { ...process.env, XDG_CACHE_HOME: join(directory, "cache") };
    assert.equal(tandem(["version"], { env }).status, 0);
    assert.equal((await readdir(join(directory, "cache", "tandem"))).length, 1);
  });
});

describe("completion in bash", () => {
  test("completes a command and runs it", async () => {
    await inBash(async (type) => {
      await type("tandem vers\t\n", /Tandem \d+\.\d+\.\d+ /);
    });
  });

  test("completes a flag up to its value, and the value", async () => {
    await inBash(async (type) => {
      await type("tandem version --outp\tjs\t\n", /"version": "\d/);
      await type("tandem version --output y\t\n", /^version: \d/m);
      await type("tandem --log-level=err\tversion -o js\t\n", /"version": "\d/);
    });
  });

  test("completes an argument", async () => {
    await inBash(async (type) => {
      await type("tandem completion fi\t\n", /# fish completion for tandem/);
    });
  });

  test("lists commands, but not those that are hidden", async () => {
    await inBash(async (type) => {
      const listed = await type("tandem \t\t", /(?=[^]*completion)(?=[^]*help)(?=[^]*version)/);
      assert.doesNotMatch(listed, /__complete|docs/);
    });
  });

  test("lists flags", async () => {
    await inBash(async (type) => {
      await type(
        "tandem version --\t\t",
        /--config= +--help +--log-format= +--log-level= +--output=/,
      );
    });
  });

  test("completes files where a file is expected", async () => {
    await writeFile(join(directory, "settings one.json"), '{"logLevel": "unheard"}');
    const refused = /Cannot use logLevel=unheard in .*settings one\.json/;
    await inBash(async (type) => {
      await type("tandem version --config=sett\t\n", refused);
      await type("tandem version --config sett\t\n", refused);
    });
  });
});

/** Sends keys and resolves to what appeared on the screen, once it matches. */
type Type = (keys: string, expected: RegExp) => Promise<string>;

/** A real interactive bash behind a real terminal, with the completion script loaded. */
async function inBash(use: (type: Type) => Promise<void>): Promise<void> {
  const start = join(directory, "bashrc");
  await writeFile(start, "PS1='ready$ '\nsource <(tandem completion bash)\n");
  const shell = spawn("/usr/bin/script", ["-qec", `bash --rcfile '${start}' -i`, "/dev/null"], {
    cwd: directory,
    env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, TERM: "dumb" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(shell, "close");
  let screen = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const type: Type = async (keys, expected) => {
    screen = "";
    shell.stdin.write(keys);
    const signal = AbortSignal.timeout(60_000);
    while (!expected.test(screen)) {
      await once(shell.stdout, "data", { signal }).catch((cause: unknown) => {
        throw new Error(`Cannot find ${expected} on the screen: ${screen}`, { cause });
      });
    }
    return screen;
  };
  try {
    await type("", /ready\$ /);
    await use(type);
  } finally {
    // The terminal goes with it, and bash with the terminal.
    shell.kill("SIGKILL");
    await ended;
  }
}
