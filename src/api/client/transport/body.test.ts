import assert from "node:assert/strict";
import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { isUnavailable } from "../errors.ts";
import { readAll } from "./body.ts";

const action = "GET /x";

test("an answer that is lost half way says so", async () => {
  const message = new IncomingMessage(new Socket());
  const reading = readAll(message, { action, signal: new AbortController().signal });
  message.push("half");
  message.destroy(new Error("gone"));
  await assert.rejects(reading, isUnavailable);
});

test("an abort half way ends the reading with its reason", async () => {
  const message = new IncomingMessage(new Socket());
  const stop = new AbortController();
  const reading = readAll(message, { action, signal: stop.signal });
  message.push("half");
  const why = new Error("enough");
  stop.abort(why);
  message.destroy(why);
  await assert.rejects(reading, why);
});
