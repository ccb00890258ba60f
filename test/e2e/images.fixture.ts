// Images that tests make themselves: a busybox-like root of a few files of the machine.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemCommands } from "../../src/base/host/command.system.ts";

export const commands = systemCommands();

export interface ImageArchives extends AsyncDisposable {
  readonly directory: string;
  /** An OCI archive whose image is called `example.test/tiny:1`. */
  readonly oci: string;
  /** A docker-archive whose image is called `example.test/tiny:2`. */
  readonly docker: string;
  /** The OCI layout that both archives were made of. */
  readonly layout: string;
}

/**
 * Makes archives of an image whose entrypoint is a shell that prints $WORD and $PWD, with a user and a
 * home directory besides root's.
 */
export async function makeArchives(): Promise<ImageArchives> {
  const directory = await mkdtemp(join(tmpdir(), "tandem-archives-"));
  const place = (name: string): string => join(directory, name);
  const umoci = async (...words: string[]): Promise<unknown> =>
    await commands.run(["umoci", ...words], { cwd: directory });
  await fillRoot(place("root"));
  await commands.run(["tar", "-C", place("root"), "-cf", place("root.tar"), "."]);
  await umoci("init", "--layout", "layout");
  await umoci("new", "--image", "layout:tiny");
  await umoci("raw", "add-layer", "--image", "layout:tiny", "root.tar");
  const set = async (name: string, value: string): Promise<unknown> =>
    await umoci("config", "--image", "layout:tiny", `--config.${name}`, value);
  await umoci("config", "--image", "layout:tiny", ...entrypoint);
  await set("cmd", 'echo "$WORD from $PWD"');
  await set("env", "WORD=hello");
  await set("workingdir", "/home/runner");
  const skopeo = async (...words: string[]): Promise<unknown> =>
    await commands.run(["skopeo", "--insecure-policy", "copy", "--quiet", ...words], {
      cwd: directory,
    });
  await skopeo("oci:layout:tiny", "oci-archive:oci.tar:example.test/tiny:1");
  await skopeo("oci:layout:tiny", "docker-archive:docker.tar:example.test/tiny:2");
  return {
    directory,
    oci: place("oci.tar"),
    docker: place("docker.tar"),
    layout: place("layout"),
    async [Symbol.asyncDispose]() {
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const entrypoint = ["--config.entrypoint", "/bin/sh", "--config.entrypoint", "-c"];

async function fillRoot(root: string): Promise<void> {
  const programs = ["/bin/sh", "/usr/bin/id", "/usr/bin/rm", "/usr/bin/sleep"];
  for (const program of programs) await copyWithLibraries(program, root);
  for (const name of ["etc", "tmp", "home/runner"])
    await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, "etc/passwd"), "root:x:0:0::/:\nrunner:x:1000:1001::/home/runner:\n");
  await writeFile(join(root, "etc/group"), "root:x:0:\nrunners:x:1001:\nfriends:x:1002:runner\n");
}

async function copyWithLibraries(program: string, root: string): Promise<void> {
  const { stdout } = await commands.run(["ldd", program]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
  for (const path of [program, ...libraries]) {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await copyFile(path, join(root, path));
  }
}
