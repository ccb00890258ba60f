// The type table of the /version response, one line per field. The grammar is in ../parse.ts.

export const version = `
Info # The build of a server.
  major!                - string
  minor!                - string
  emulationMajor        - string
  emulationMinor        - string
  minCompatibilityMajor - string
  minCompatibilityMinor - string
  gitVersion!           - string
  gitCommit!            - string
  gitTreeState!         - string
  buildDate!            - string
  goVersion!            - string
  compiler!             - string
  platform!             - string
`;
