/**
 * The version of this program. A constant, so that bundled programs carry it; a test compares it to
 * package.json.
 */
export const version = "0.1.0";
