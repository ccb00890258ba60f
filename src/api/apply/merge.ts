import { getOwn, isObject, type JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import type { Element } from "./element.ts";
import { elementOf, fieldSchema, formOf, itemSchema } from "./shape.ts";

/**
 * Merges an applied configuration into the live object. Nothing is removed; where both have a list with keys
 * or a set, the configuration's order wins and other elements keep their neighbours.
 */
export function merge(schema: Schema, live: JsonObject, config: JsonObject): JsonObject {
  const merged = mergeValues(schema, live, config);
  return isObject(merged) ? merged : {};
}

function mergeValues(schema: Schema, live: unknown, config: unknown): unknown {
  if (live === undefined) return config;
  if (config === undefined) return live;
  const form = formOf(schema, config);
  if (form === "map" && !(isBlankMap(live) && isBlankMap(config))) {
    return mergeMaps(schema, live, config);
  }
  if (form === "list" && !(isBlankList(live) && isBlankList(config))) {
    return mergeLists(schema, live, config);
  }
  return config;
}

function mergeMaps(schema: Schema, live: unknown, config: unknown): JsonObject {
  const merged: JsonObject = isObject(live) ? { ...live } : {};
  if (!isObject(config)) return merged;
  for (const name in config) {
    merged[name] = mergeValues(fieldSchema(schema, name), getOwn(merged, name), config[name]);
  }
  return merged;
}

function mergeLists(schema: Schema, live: unknown, config: unknown): unknown[] {
  const lives = indexed(schema, live);
  const configs = indexed(schema, config);
  return interleave(lives.order, configs.order).map(({ element, index }) => {
    const item = index === undefined ? lives.unique.get(element) : lives.items[index];
    return mergeValues(itemSchema(schema), item, configs.unique.get(element));
  });
}

interface Indexed {
  readonly items: readonly unknown[];
  readonly order: readonly Element[];
  /** The elements with a unique key; those that share their keys are replaced instead of merged. */
  readonly unique: ReadonlyMap<Element, unknown>;
}

function indexed(schema: Schema, list: unknown): Indexed {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const unique = new Map<Element, unknown>();
  const order = items.map((item) => {
    const element = elementOf(schema, item);
    unique.set(element, unique.has(element) ? null : item);
    return element;
  });
  return { items, order, unique };
}

/** A position in the merged list; `index` is set where a live element is taken as it is. */
interface Place {
  readonly element: Element;
  readonly index?: number;
}

/**
 * Merges both orders in one walk. Live elements that are not applied are taken where they stand; applied ones
 * in the configuration's order, each pulled forward to where the walk meets it first.
 */
function interleave(live: readonly Element[], config: readonly Element[]): Place[] {
  const isLive = new Set(live);
  const isApplied = new Set(config);
  const shared = config.filter((element) => isLive.has(element));
  const taken = new Set<Element>();
  const places: Place[] = [];
  let nextShared = 0;
  let l = 0;
  let c = 0;
  while (l < live.length || c < config.length) {
    const mine = live[l];
    const theirs = config[c];
    if (mine !== undefined && theirs !== undefined && mine !== theirs) {
      const awaited = shared[nextShared];
      if (isApplied.has(mine) && awaited !== undefined && awaited !== mine) {
        l += 1;
        continue;
      }
    }
    if (mine !== undefined && !isApplied.has(mine)) {
      places.push({ element: mine, index: l });
      l += 1;
      continue;
    }
    if (mine !== undefined && (mine === theirs || taken.has(mine))) l += 1;
    if (theirs === undefined) continue;
    places.push({ element: theirs });
    taken.add(theirs);
    if (shared[nextShared] === theirs) nextShared += 1;
    c += 1;
  }
  return places;
}

function isBlankMap(value: unknown): boolean {
  return !isObject(value) || Object.keys(value).length === 0;
}

function isBlankList(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}
