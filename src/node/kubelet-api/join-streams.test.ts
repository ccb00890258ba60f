import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { passInput, passOutput } from "./join-streams.ts";

describe("the streams of a process and of a client", () => {
  test("a client that is lost ends the input, and no error reaches the process", async () => {
    const [client, stdin] = [new PassThrough(), new PassThrough()];
    let trouble: unknown;
    stdin.on("error", (error) => (trouble = error));
    passInput(client, stdin);
    client.write("half a line");
    client.destroy(new Error("connection reset"));
    const heard = await stdin.toArray();
    assert.ok(["", "half a line"].includes(Buffer.concat(heard).toString()));
    assert.equal(trouble, undefined);
  });

  test("a process that does not listen does not end the client", () => {
    const [client, stdin] = [new PassThrough(), new PassThrough()];
    passInput(client, stdin);
    stdin.destroy(new Error("EPIPE"));
    assert.equal(client.destroyed, false);
  });

  test("output goes on when nobody listens any more", async () => {
    const [stdout, client] = [new PassThrough(), new PassThrough()];
    const passed = passOutput(stdout, client);
    client.destroy(new Error("connection reset"));
    for (let line = 0; line < 100; line += 1) stdout.write(Buffer.alloc(10_000));
    stdout.end();
    await passed;
    assert.equal(stdout.readableEnded, true);
  });

  test("output that breaks off has been passed", async () => {
    const stdout = new PassThrough();
    const passed = passOutput(stdout, undefined);
    stdout.destroy(new Error("gone"));
    await passed;
  });
});
