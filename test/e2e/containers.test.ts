// Containers of the machine's own file system: what they see, what they may, and that they leave nothing.
import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { defined } from "../../src/base/json/defined.ts";
import { openContainers } from "../../src/node/runtime/containers.system.ts";
import { systemIdentity } from "../../src/node/runtime/machine/identity.system.ts";
import type { ContainerSpec, ContainerState } from "../../src/node/runtime/port.ts";
import { commands, finished, openNode, secretDirectory } from "./containers.fixture.ts";

const node = await openNode();
after(() => node[Symbol.asyncDispose]());
const { containers } = node;
const { isRootless } = await systemIdentity();

/** A container that has exited and was removed, and what it said. */
async function outcome(
  given: Partial<ContainerSpec>,
): Promise<ContainerState & { readonly text: string }> {
  const spec = node.spec(given);
  await containers.start(spec);
  const state = await containers.exited(spec.id);
  const text = await node.logOf(spec.id);
  await containers.remove(spec.id);
  return { ...state, text: text.trimEnd() };
}

function shell(script: string): Pick<ContainerSpec, "command"> {
  return { command: ["sh", "-c", script] };
}

test("a container runs, says something, exits with its code, and leaves nothing", async () => {
  const before = await node.mounts();
  const spec = node.spec({
    ...shell("echo $GREETING; echo oh >&2; exit 3"),
    environment: { GREETING: "hello" },
  });
  const started = await containers.start(spec);
  assert.deepEqual(
    [started.id, started.image, started.logPath],
    [spec.id, spec.image, spec.logPath],
  );
  const { exitCode, status, labels, startedAt, finishedAt } = await containers.exited(spec.id);
  assert.deepEqual([exitCode, status, labels], [3, "exited", spec.labels]);
  assert.ok(finishedAt !== undefined && finishedAt.getTime() >= startedAt.getTime() - 1000);
  assert.deepEqual((await node.logOf(spec.id)).split("\n").toSorted(), ["", "hello", "oh"]);
  await containers.remove(spec.id);
  await containers.remove(spec.id);
  assert.equal(await containers.get(spec.id), undefined);
  assert.deepEqual(await node.traces(), []);
  assert.deepEqual(await node.mounts(), before);
});

test("containers run in a directory that is reached by a symbolic link", async () => {
  const link = join(node.directory, "link");
  await symlink(node.directory, link);
  const { images, agentOptions } = node;
  const options = { commands, images, ...defined({ cgroup: agentOptions.cgroup }) };
  const others = await openContainers({ ...options, directory: join(link, "others") });
  try {
    const spec = node.spec(shell("exit 5"));
    await others.start(spec);
    assert.equal((await others.exited(spec.id)).exitCode, 5);
    await others.remove(spec.id);
  } finally {
    await others.close();
  }
});

test("one that cannot be started says why and leaves nothing", async () => {
  await assert.rejects(containers.start(node.spec({ command: ["no-such-program"] })), {
    name: "ContainerError",
    message: /: exec: "no-such-program": executable file not found in \$PATH$/,
  });
  const missing = { source: join(node.directory, "none"), destination: "/none" };
  await assert.rejects(
    containers.start(node.spec({ command: ["true"], mounts: [missing] })),
    /none.*it is not there/,
  );
  await assert.rejects(containers.start(node.spec({ id: "../up" })), /its id "\.\.\/up"/);
  const left = AbortSignal.abort(new Error("no longer wanted"));
  await assert.rejects(
    containers.start(node.spec(shell("true")), { signal: left }),
    /no longer wanted/,
  );
  assert.deepEqual(await node.traces(), []);
});

test("[API-6] the host's file system is there to change, but not what is hidden", async () => {
  const secret = join(secretDirectory, `tandem-secret-${process.pid}`);
  await writeFile(secret, "secret");
  try {
    const script = `
      command -v ip > /dev/null && echo has programs
      echo changed > /etc/tandem-test && cat /etc/tandem-test
      ls -A /root /home ${secretDirectory} | grep -v :
      touch /tmp/own && echo has a place`;
    const { text } = await outcome(shell(script));
    assert.deepEqual(text.split("\n").filter(Boolean), ["has programs", "changed", "has a place"]);
    const { text: next } = await outcome(shell("ls /tmp; test -e /etc/tandem-test || echo gone"));
    assert.equal(next, "gone");
  } finally {
    await rm(secret);
  }
});

test("a container sees its own processes, devices and limits of what it may", async () => {
  const script = `
    echo pid $$; test -c /dev/null && test ! -e /dev/kmsg && echo few devices
    df /dev/shm | grep -q shm && echo shared memory
    ( echo 1 > /proc/sys/kernel/panic ) 2> /dev/null || echo kernel is read-only
    ls -A /sys/firmware /proc/acpi 2> /dev/null | grep -v : | wc -l
    grep CapEff /proc/self/status`;
  const { text } = await outcome(shell(script));
  assert.match(text, /^pid 1\nfew devices\nshared memory\nkernel is read-only\n/);
  assert.match(text, /CapEff:\s+00000000a80425fb$/);
  const bare = { dropCapabilities: ["ALL"], addCapabilities: ["NET_ADMIN"] };
  const { text: capabilities } = await outcome({
    ...shell("grep CapEff /proc/self/status"),
    security: bare,
  });
  assert.match(capabilities, /0000000000001000$/);
  await assert.rejects(
    containers.start(node.spec({ ...shell("true"), security: { addCapabilities: ["FLY"] } })),
    /Cannot change capability FLY: there is none of that name/,
  );
});

test("privileges, a root that is read-only, and none to gain", async () => {
  const { text } = await outcome({
    ...shell("touch /x /etc/x 2> /dev/null || echo read-only; grep NoNewPrivs /proc/self/status"),
    security: { readOnlyRoot: true, noNewPrivileges: true },
  });
  assert.match(text, /^read-only\nNoNewPrivs:\s+1$/);
  const { text: privileged } = await outcome({
    ...shell(
      "grep CapEff /proc/self/status; test -c /dev/kmsg && echo all devices; mount -t tmpfs x /mnt && echo mounts",
    ),
    security: { privileged: true },
  });
  assert.match(privileged, /CapEff:\s+[0-9a-f]*[1-9a-f][0-9a-f]{8}\nall devices\nmounts$/);
});

test("files of the node are mounted, one inside the other, to read or to write", async () => {
  const place = async (name: string): Promise<string> => {
    const path = join(node.directory, name);
    await mkdir(path);
    await writeFile(join(path, "name"), name);
    return path;
  };
  const [outer, inner] = [await place("outer"), await place("inner")];
  await mkdir(join(outer, "in"));
  const { text } = await outcome({
    ...shell(
      "cat /data/name /data/in/name; echo new > /data/in/new; touch /data/x 2>&1 | grep -o Read-only",
    ),
    mounts: [
      { source: inner, destination: "/data/in" },
      { source: join(outer, "name"), destination: "/etc/hosts", readOnly: true },
      { source: outer, destination: "/data", readOnly: true },
    ],
  });
  assert.equal(text, "outerinnerRead-only");
});

test("directories of the host image are as the machine's own", async () => {
  const script = "stat -c '%n %a' /usr /etc /var /tmp /";
  const { text } = await outcome(shell(script));
  const own = await commands.run(["sh", "-c", script]);
  assert.equal(text, own.stdout.trimEnd());
});

test("namespaces of a pod are shared by its containers", async () => {
  const { id, pid } = await containers.start(node.spec(shell("hostname first; sleep 600")));
  const path = (name: string): string => `/proc/${pid}/ns/${name}`;
  const links = `readlink /proc/self/ns/ipc /proc/self/ns/uts /proc/self/ns/pid /proc/self/ns/net`;
  const namespaces = { ipc: path("ipc"), uts: path("uts"), pid: path("pid") };
  const { text } = await outcome({ ...shell(`${links}; hostname`), namespaces });
  const own = await finished(
    await containers.exec(id, { command: ["sh", "-c", `${links}; hostname`] }),
  );
  assert.equal(text, own.stdout.trimEnd());
  await containers.remove(id);
  assert.deepEqual(await node.traces(), []);
});

test("a signal ends a container, and one that ignores it is killed", async () => {
  const polite = "trap 'exit 4' TERM; echo ready; while :; do sleep 0.1; done";
  const { id } = await containers.start(node.spec(shell(polite)));
  await node.said(id, "ready");
  await containers.kill(id, "SIGTERM");
  assert.equal((await containers.exited(id)).exitCode, 4);
  await containers.kill(id, "SIGTERM");
  const deaf = await containers.start(node.spec(shell("trap '' TERM; sleep 600")));
  await containers.kill(deaf.id, "SIGKILL");
  assert.equal((await containers.exited(deaf.id)).exitCode, 137);
  const waiting = await containers.start(node.spec(shell("sleep 600")));
  const gone = assert.rejects(containers.exited(waiting.id), { reason: "not-found" });
  for (const each of [id, deaf.id, waiting.id]) await containers.remove(each);
  await gone;
  assert.deepEqual(await node.traces(), []);
});

if (!isRootless) {
  test("memory has a limit, and who passes it is told", async () => {
    const { exitCode, outOfMemory } = await outcome({
      command: [
        "sh",
        "-c",
        "cat /sys/fs/cgroup/memory*/memory.limit_in_bytes /sys/fs/cgroup/memory.max; tail /dev/zero",
      ],
      resources: { memoryBytes: 20 * 1024 * 1024, cpuMillis: 500 },
    });
    assert.deepEqual([exitCode, outOfMemory], [137, true]);
  });
}

if (!isRootless) {
  test("[SEC-1] processes have a limit, and the machine goes on", async () => {
    const script = "for i in 1 2 3 4 5 6 7 8 9; do sleep 9 & done; echo more than eight";
    const { text } = await outcome({ ...shell(script), resources: { pids: 8 } });
    assert.doesNotMatch(text, /more than eight/);
    assert.match(text, /Cannot fork/);
  });
}

if (!isRootless) {
  test("cgroups that were made inside a container's go with it", async () => {
    const { id } = await containers.start(node.spec(shell("sleep 600")));
    const made = await node.cgroups(id);
    assert.ok(made.length > 0);
    for (const directory of made) await mkdir(join(directory, "inner/most"), { recursive: true });
    await containers.remove(id);
    assert.deepEqual(await node.traces(), []);
  });
}

test("ten containers started at once exit with their own codes, twice in a row", async () => {
  for (const round of [1, 2]) {
    const specs = Array.from({ length: 10 }, (_, n) => node.spec(shell(`exit ${round * n}`)));
    const states = await Promise.all(
      specs.map(async (spec) => {
        await containers.start(spec);
        return await containers.exited(spec.id);
      }),
    );
    assert.deepEqual(
      states.map(({ exitCode }) => exitCode),
      specs.map((_, n) => round * n),
    );
    await Promise.all(specs.map(({ id }) => containers.remove(id)));
  }
  assert.deepEqual(await node.traces(), []);
});
