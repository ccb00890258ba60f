/** The version of this program. A constant, since bundles carry it; a test compares it to package.json. */
export const version = "0.1.0";
