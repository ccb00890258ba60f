import { readAddress, readPrefix, type Warn } from "./addresses.ts";
import type { Fields, JsonObject } from "./fields.ts";

/** Checks that routes are valid; they are passed on as they are. */
export function checkRoutes(routes: readonly Fields[], warn: Warn): JsonObject[] {
  return routes.map((route) => {
    const destination = route.text("dst");
    if (destination === undefined) throw route.refused("dst", "it must be set");
    readPrefix(destination, { field: `${route.path}.dst`, warn });
    const gateway = route.text("gw");
    if (gateway !== undefined) readAddress(gateway, { field: `${route.path}.gw`, warn });
    return route.raw;
  });
}
