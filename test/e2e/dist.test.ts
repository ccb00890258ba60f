// Packages are built twice without compression, since what compresses them is told to add nothing of its own.
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { globalOptions } from "../../src/base/command-line/global-options.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { readConfigFile } from "../../src/base/program/config-file.system.ts";
import { nameOptions } from "../../src/base/program/options.ts";
import { version } from "../../src/base/program/version.ts";
import { services, unitName } from "../../src/install/machine/machine.ts";
import { buildDist } from "../../tools/dist/build-dist.ts";
import { commandAt } from "../../tools/dist/shared-files.ts";

/** What an index or a manifest of an image has, as far as it is looked at. */
interface ImageDocument {
  readonly manifests?: readonly { readonly digest: string; readonly platform: object }[];
  readonly layers?: readonly { readonly digest: string; readonly size: number }[];
}

const root = join(import.meta.dirname, "../..");
const commands = systemCommands();
/** The page of the dashboard, without which its server does not start. */
const pageFiles = ["index.html", "page.js", "page.css", "icon.svg"];
const own = services.filter(({ foreign }) => foreign === undefined);

describe("packages", () => {
  let folder: string;
  let first: string;
  let program: string;
  let installed: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "tandem-dist-"));
    first = await build("first");
    const architecture = await debianArchitecture();
    const name = `tandem-${version}-linux-${architecture}`;
    await commands.run(["tar", "--extract", "--file", join(first, `${name}.tar`), "-C", folder]);
    program = join(folder, name, "bin/tandem");
    installed = join(folder, "installed");
    const deb = join(first, `tandem_${version}_${architecture}.deb`);
    await commands.run(["dpkg-deb", "--raw-extract", deb, installed]);
  });

  after(() => rmSync(folder, { recursive: true }));

  test("[INST-1] two builds have the same bytes, and one list of checksums", async () => {
    const sums = readFileSync(join(first, "SHA256SUMS"), "utf8");
    const second = await build("second");
    assert.equal(readFileSync(join(second, "SHA256SUMS"), "utf8"), sums);
    rmSync(second, { recursive: true });
    const small = sums.split("\n").filter((line) => line.endsWith(".json"));
    assert.equal(small.length, 2);
    await commands.run(["sha256sum", "--check"], { cwd: first, stdin: `${small.join("\n")}\n` });
  });

  test("[INST-6] the image has every program that our parts run, which start in it, and a list of its packages", async () => {
    const architecture = await debianArchitecture();
    const archive = join(first, `tandem-${version}-image-${architecture}.tar`);
    const layout = join(folder, "layout");
    const rootfs = join(folder, "rootfs");
    for (const path of [layout, rootfs]) mkdirSync(path);
    await commands.run(["tar", "--extract", "--file", archive, "-C", layout]);
    const blob = (digest: string) => join(layout, "blobs", digest.replace(":", "/"));
    const read = (path: string) => JSON.parse(readFileSync(path, "utf8")) as ImageDocument;
    const [manifest] = read(join(layout, "index.json")).manifests ?? [];
    assert.deepEqual(manifest?.platform, { architecture, os: "linux" });
    for (const { digest, size } of read(blob(manifest?.digest ?? "")).layers ?? []) {
      assert.equal(statSync(blob(digest)).size, size);
      const { stdout } = await commands.run(["sha256sum", blob(digest)]);
      assert.equal(`sha256:${stdout.split(" ")[0]}`, digest);
      await commands.run(["tar", "--extract", "--file", blob(digest), "-C", rootfs]);
    }
    const programs = {
      tandem: ["version"],
      nft: ["--version"],
      ip: ["-V"],
      conntrack: ["--version"],
      "iptables-nft": ["--version"],
      sysctl: ["--version"],
      setpriv: ["--version"],
      perl: ["-v"],
      flock: ["--version"],
      keepalived: ["--version"],
      haproxy: ["-v"],
      nginx: ["-v"],
    };
    for (const [name, words] of Object.entries(programs)) {
      await commands.run(["chroot", rootfs, name, ...words]);
    }
    const listed = readdirSync(join(rootfs, "var/lib/dpkg/status.d"));
    for (const name of ["nftables", "libc6", "keepalived"]) assert.ok(listed.includes(name), name);
    const bill = readFileSync(join(rootfs, "usr/share/doc/tandem/sbom.cdx.json"), "utf8");
    for (const name of listed) assert.ok(bill.includes(`pkg:deb/debian/${name}@`), name);
  });

  test("[INST-1] the unpacked tarball tells its version and serves, in an empty environment and without the clone", async () => {
    const isolated = ["env", "--ignore-environment", "PATH=/usr/bin:/bin", program];
    const { stdout } = await commands.run([...isolated, "version"], { cwd: "/" });
    assert.match(stdout, new RegExp(`^Tandem ${version} `));
    const help = await commands.run([...isolated, "server", "--help"], { cwd: "/" });
    assert.match(help.stdout, /^Run the API server/);
    const parts = await commands.run([...isolated, "docs"], { cwd: "/" });
    assert.match(parts.stdout, /^## tandem install-service run$/m);
  });

  test("[INST-1] the Debian package has the units, configuration, plugins, page and completion", async () => {
    const place = (path: string) => join(installed, path);
    assert.deepEqual(
      readdirSync(place("usr/lib/systemd/system")).toSorted(),
      services.map(unitName).toSorted(),
    );
    assert.deepEqual(
      readdirSync(place("usr/share/tandem/config")).toSorted(),
      own.map(({ name }) => `${name}.yaml`).toSorted(),
    );
    for (const path of [
      "usr/bin/tandem",
      "usr/lib/cni/tandem-ipam",
      "usr/share/man/man8/tandem.8.gz",
      "usr/share/bash-completion/completions/tandem",
      ...pageFiles.map((name) => `usr/lib/tandem/build/dashboard/${name}`),
    ]) {
      assert.ok(readFileSync(place(path)).length > 0, path);
    }
    const { stdout } = await commands.run([place("usr/bin/tandem"), "version"]);
    assert.match(stdout, new RegExp(`^Tandem ${version} `));
  });

  test("[INST-1] each service takes its configuration as it is delivered, and with every default set", async () => {
    for (const { name, command } of own) {
      const path = join(installed, "usr/share/tandem/config", `${name}.yaml`);
      const { options } = await commandAt(command);
      const named = nameOptions({ ...options, ...globalOptions });
      assert.equal((await readConfigFile(path, named)).size, 0);
      const set = join(folder, `${name}.yaml`);
      writeFileSync(set, readFileSync(path, "utf8").replaceAll(/^#(?=\S+: )/gm, ""));
      assert.ok((await readConfigFile(set, named)).size > 2);
    }
  });

  async function build(name: string): Promise<string> {
    const out = join(folder, name);
    mkdirSync(out);
    await buildDist({ root, out, epoch: 1_700_000_000, compression: "none", commands });
    return out;
  }

  async function debianArchitecture(): Promise<string> {
    const { stdout } = await commands.run(["dpkg", "--print-architecture"]);
    return stdout.trim();
  }
});
