// Images whose layers try to reach out of them, and what runs on such an image.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { type Node, openNode } from "../e2e/containers.fixture.ts";
import {
  device,
  directory,
  type Entry,
  fifo,
  file,
  hardLink,
  renaming,
  symbolicLink,
  tarOf,
} from "./tar.ts";

const commands = systemCommands();
const many = process.env["TANDEM_SOAK"] === "1" ? 1_000_000 : 5_000;

describe("an image", { timeout: 900_000 }, () => {
  let node: Node;
  let scratch: string;
  let outside: string;
  before(async () => {
    node = await openNode();
    scratch = await mkdtemp(join(tmpdir(), "tandem-layers-"));
    outside = join(scratch, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "secret"), "secret");
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await rm(scratch, { recursive: true, force: true });
  });

  /** Loads an image of these layers; its tree, or nothing when it is refused. */
  async function loaded(name: string, layers: readonly (readonly Entry[])[]) {
    const place = join(scratch, name);
    await mkdir(place);
    const umoci = (...words: string[]) => commands.run(["umoci", ...words], { cwd: place });
    await umoci("init", "--layout", "layout");
    await umoci("new", "--image", "layout:image");
    for (const entries of layers) {
      await writeFile(join(place, "layer.tar"), tarOf(entries));
      await umoci("raw", "add-layer", "--image", "layout:image", "layer.tar");
    }
    const archive = `oci-archive:image.tar:example.test/${name}:1`;
    const words = ["skopeo", "--insecure-policy", "copy", "--quiet", "oci:layout:image", archive];
    await commands.run(words, { cwd: place });
    try {
      const [record] = await node.images.load(join(place, "image.tar"));
      assert.ok(record);
      return { id: record.id, root: (await node.images.rootOf(record.id)).directory };
    } catch (error) {
      assert.match(String(error), /ImageError: Cannot have image/);
      return undefined;
    }
  }

  async function untouched(): Promise<void> {
    assert.deepEqual(await readdir(outside), ["secret"]);
    assert.equal(await readFile(join(outside, "secret"), "utf8"), "secret");
    assert.equal((await stat(join(outside, "secret"))).mode & 0o7777, 0o644);
  }

  const attacks: Readonly<Record<string, (place: string) => readonly (readonly Entry[])[]>> = {
    "parent-paths": (to) => [[file(`../../../../../../../../..${to}/parent`, "x")]],
    "absolute-paths": (to) => [[file(`${to}/absolute`, "x")]],
    "a-link-then-a-file": (to) => [[symbolicLink("out", to), file("out/linked", "x")]],
    "a-link-in-another-layer": (to) => [[symbolicLink("out", to)], [file("out/linked", "x")]],
    "a-relative-link": (to) => [
      [symbolicLink("a/out", `../../../../../../../..${to}`)],
      [file("a/out/linked", "x")],
    ],
    "a-file-in-place-of-a-link": (to) => [
      [symbolicLink("out", join(to, "secret"))],
      [file("out", "changed")],
    ],
    "a-hard-link-out": (to) => [[hardLink("hard", join(to, "secret"))], [file("hard", "changed")]],
    "a-hard-link-through-a-link": (to) => [
      [symbolicLink("out", to), hardLink("hard", "out/secret")],
      [file("hard", "changed", 0o777)],
    ],
    "a-whiteout-through-a-link": (to) => [[symbolicLink("out", to)], [file("out/.wh.secret", "")]],
    "an-opaque-whiteout-through-a-link": (to) => [
      [symbolicLink("out", to)],
      [file("out/.wh..wh..opq", "")],
    ],
    "a-whiteout-of-parents": () => [
      [directory("a")],
      [file("a/.wh...", ""), file(".wh...", ""), file(".wh..", "")],
    ],
    "a-hard-link-to-a-link": (to) => [
      [symbolicLink("out", join(to, "secret")), hardLink("hard", "out")],
      [file("hard", "changed", 0o777)],
    ],
    "a-name-that-comes-twice": (to) => [
      [symbolicLink("out", to), directory("out"), file("out/linked", "x")],
      [file("two", "x"), symbolicLink("two", join(to, "secret")), file("two", "changed")],
    ],
    "a-name-of-several-lines": (to) => [[file(`a\n/../../../../../../../../..${to}/line`, "x")]],
    "another-name-than-the-header-tells": (to) => [
      [renaming(`../../../../../../../../..${to}/renamed`), file("harmless", "x")],
      [symbolicLink("out", to)],
      [renaming("out/renamed"), file("harmless", "x")],
    ],
    "a-name-with-a-null-byte": (to) => [
      [renaming(`../../../../../../../../..${to}/null\0/../harmless`), file("harmless", "x")],
      [renaming(`harmless\0/../../../../../../../../..${to}/null`), file("harmless", "x")],
    ],
    "a-device-then-a-file": () => [[device("null", 1, 3, 0o666)], [file("null", "x")]],
    "a-folder-over-a-link": (to) => [[symbolicLink("out", to)], [directory("out", 0o777)]],
  };
  for (const [name, layersFor] of Object.entries(attacks)) {
    test(`[SEC-1] reaches nothing outside by ${name.replaceAll("-", " ")}`, async () => {
      const found = await loaded(name, layersFor(outside));
      await untouched();
      assert.equal((await stat(join(outside, "secret"))).nlink, 1, "it is linked nowhere else");
      if (found !== undefined) assert.ok((await stat(dirname(found.root))).isDirectory());
    });
  }

  test("[SEC-1] whose files are larger than its layer is refused, and leaves nothing", async () => {
    const roots = () => readdir(node.agentOptions.images, { recursive: true });
    const earlier = (await roots()).filter((path) => path.includes("huge"));
    assert.equal(await loaded("lying", [[{ ...file("huge", "x"), size: 2 ** 32 }]]), undefined);
    const later = (await roots()).filter((path) => path.includes("huge"));
    assert.deepEqual([earlier, later], [[], []]);
  });

  test("[SEC-1] whose programs give other rights is not open to users of the machine", async () => {
    const found = await loaded("rights", [[file("bin/su", "x", 0o6755)]]);
    assert.ok(found);
    assert.equal((await stat(join(found.root, "bin/su"))).mode & 0o6000, 0o6000);
    assert.equal((await stat(dirname(dirname(found.root)))).mode & 0o077, 0);
  });

  test("[SEC-1] whose accounts are a pipe, a device or a link out stops nobody and tells nothing", async () => {
    const cases: readonly (readonly [string, readonly Entry[], RegExp])[] = [
      ["pipe", [fifo("etc/passwd")], /the image's \/etc\/passwd: it is no file/],
      ["zero", [device("etc/group", 1, 5)], /the image's \/etc\/group: it is no file/],
      ["away", [symbolicLink("etc/passwd", "/../../../../../etc/passwd")], /exec: "\/none"/],
    ];
    for (const [name, entries, message] of cases) {
      const found = await loaded(`accounts-${name}`, [entries]);
      assert.ok(found);
      const spec = node.spec({ image: found.id, command: ["/none"] });
      await assert.rejects(node.containers.start(spec), message);
    }
  });

  test("[SEC-1] whose devices are the machine's lets nobody use them", async () => {
    // The first disk, readable by everybody.
    const found = await loaded("devices", [
      [device("disk", 259, 0, 0o666), device("mem", 1, 1, 0o666)],
    ]);
    assert.ok(found);
    const mounts = [{ source: "/usr", destination: "/usr", readOnly: true }];
    const links = ["bin", "lib", "lib64"].map((name) => ({
      source: `/usr/${name}`,
      destination: `/${name}`,
    }));
    const command = [
      "sh",
      "-c",
      "head -c 1 /disk || echo no disk; head -c 1 /mem || echo no memory",
    ];
    const spec = node.spec({ image: found.id, command, mounts: [...mounts, ...links] });
    await node.containers.start(spec);
    await node.containers.exited(spec.id);
    const said = await node.logOf(spec.id);
    assert.match(said, /no disk\n/);
    assert.match(said, /no memory\n/);
  });

  test("[SEC-1] whose working directory is an open file of the runtime's runs nowhere else", async () => {
    for (let descriptor = 3; descriptor < 12; descriptor++) {
      const workingDirectory = `/proc/self/fd/${descriptor}`;
      const spec = node.spec({ command: ["sh", "-c", "ls -A ../../../.."], workingDirectory });
      await assert.rejects(
        (async () => {
          await node.containers.start(spec);
          await node.containers.exited(spec.id);
          throw new Error(`it ran in ${workingDirectory}: ${await node.logOf(spec.id)}`);
        })(),
        /ContainerError/,
      );
    }
  });

  test("[SEC-1] whose folders are deeper than a path may be long is refused or removed whole", async () => {
    const deep = "d/".repeat(3000);
    const found = await loaded("deep", [[renaming(`${deep}file`), file("harmless", "x")]]);
    if (found === undefined) return;
    await node.images.remove("example.test/deep:1");
    await assert.rejects(stat(found.root), { code: "ENOENT" });
  });

  test(`[SEC-1] of ${many} files is unpacked and removed`, async () => {
    const entries = Array.from({ length: many }, (_, index) =>
      file(`f/${index % 1000}/${index}`, ""),
    );
    const found = await loaded("many", [entries]);
    assert.ok(found);
    await node.images.remove("example.test/many:1");
    await assert.rejects(stat(found.root), { code: "ENOENT" });
  });
});
