import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Commands } from "../../../src/base/host/command.ts";
import { systemNft } from "../../../src/base/host/nft.system.ts";
import { sessionNft } from "../../../src/base/host/nft-session.system.ts";
import { nftContract } from "../../../src/base/host/testing/nft.contract.ts";
import { openSandbox } from "../host/sandbox.ts";

const over = new AbortController();
after(() => over.abort());

const sandbox = await openSandbox();
const { commands } = await sandbox.enter("session");
const nft = sessionNft(systemNft(commands), commands, over.signal);

nftContract("interactive", async () => {
  await nft.apply("flush ruleset");
  return nft;
});

test("scripts at the same time are carried out one after the other", async () => {
  await nft.apply("flush ruleset\nadd table ip t\nadd set ip t s { type inet_service ; }");
  const ports = Array.from({ length: 100 }, (_, n) => n + 1);
  const results = await Promise.allSettled(
    ports.map((port) => nft.apply(`add element ip t s { ${port % 2 === 0 ? port : "nonsense"} }`)),
  );
  const failed = results.filter(({ status }) => status === "rejected");
  assert.equal(failed.length, 50);
  const set = { table: { family: "ip", name: "t" }, kind: "set", name: "s" } as const;
  assert.equal((await nft.elements(set)).length, 50);
});

test("an nft that has died is replaced by another", async () => {
  const pids: number[] = [];
  const counted: Commands = {
    ...commands,
    start: async (...args) => {
      const running = await commands.start(...args);
      pids.push(running.pid);
      return running;
    },
  };
  const own = sessionNft(systemNft(commands), counted, over.signal);
  await own.apply("add table ip first");
  const [first] = pids;
  assert.ok(first !== undefined);
  process.kill(first, "SIGKILL");
  const deadline = AbortSignal.timeout(30_000);
  for (let done = false; !done; ) {
    deadline.throwIfAborted();
    done = await own.apply("add table ip second").then(
      () => pids.length > 1,
      () => false,
    );
    await setTimeout(10);
  }
});
