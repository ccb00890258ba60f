import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSeccomp } from "./seccomp.ts";

const refusedFor = (...capabilities: string[]) =>
  new Set(
    (defaultSeccomp(capabilities, "x64").syscalls ?? []).flatMap(({ names, args }) =>
      args === undefined ? names : [],
    ),
  );

test("what administers the machine is refused, unless there is a capability for it", () => {
  const plain = refusedFor();
  for (const call of [
    "mount",
    "bpf",
    "reboot",
    "init_module",
    "keyctl",
    "clone3",
    "io_uring_setup",
  ])
    assert.ok(plain.has(call), call);
  for (const call of ["read", "openat", "clone", "ptrace", "socket"]) {
    assert.ok(!plain.has(call), call);
  }
  const admin = refusedFor("CAP_SYS_ADMIN");
  for (const call of ["mount", "bpf", "clone3", "unshare"]) assert.ok(!admin.has(call), call);
  assert.ok(admin.has("kexec_load"));
  assert.ok(!refusedFor("CAP_BPF").has("bpf"));
  assert.ok(refusedFor("CAP_BPF").has("mount"));
});

test("architectures are those the machine runs; where they are not known, its own", () => {
  assert.equal(defaultSeccomp([], "x64").architectures?.length, 3);
  assert.equal(defaultSeccomp([], "riscv64").architectures, undefined);
});
