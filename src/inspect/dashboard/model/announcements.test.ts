import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Announcement,
  announcementAfter,
  announcementRows,
  lampOfAnnouncement,
  sinceText,
  timelineOf,
} from "./announcements.ts";

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
const on = (node: string | undefined, address = "192.0.2.1") => ({
  address,
  use: "service a/b",
  node,
});

/** What is known after looking once a second. */
function after(...nodes: (string | undefined)[]): Announcement {
  let known: Announcement | undefined;
  nodes.forEach((node, second) => {
    known = announcementAfter(known, on(node), at(second));
  });
  return known ?? assert.fail();
}

test("[DASH-1] an address that stays has no moves, and was there before anybody looked", () => {
  const known = after("one", "one", "one");
  assert.deepEqual(known.moves, []);
  assert.equal(sinceText(known, String), `before ${at(0)}`);
});

test("[DASH-1] an address that moves by nobody is told with both moves, the newest first", () => {
  const known = after("one", undefined, "two");
  assert.equal(sinceText(known, String), `since ${at(2)}`);
  assert.deepEqual(
    timelineOf([known]).map(({ at: time, from, to }) => [time, from, to]),
    [
      [at(2), undefined, "two"],
      [at(1), "one", undefined],
    ],
  );
});

test("[DASH-1] nothing is told anew while nothing changes", () => {
  const known = after("one");
  assert.equal(announcementAfter(known, on("one"), at(9)), known);
});

test("[DASH-1] only the newest moves are remembered", () => {
  const nodes = Array.from({ length: 200 }, (_, index) => `node-${index % 2}`);
  assert.equal(after(...nodes).moves.length, 50);
});

test("[DASH-1] both families of one use are one row; an address without a node is bad", () => {
  const four = announcementAfter(undefined, on("one"), at(0));
  const six = announcementAfter(undefined, on(undefined, "2001:db8::1"), at(0));
  const [row, ...more] = announcementRows([six, four]);
  assert.deepEqual(more, []);
  assert.deepEqual(row?.addresses, { IPv4: [four], IPv6: [six] });
  assert.equal(lampOfAnnouncement(four).state, "ok");
  assert.equal(lampOfAnnouncement(six).state, "bad");
});
