/** Of this program. A constant, so that bundled programs carry it; a test holds it to package.json. */
export const version = "0.1.0";
