import {
  copyFileSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Random } from "../../../../base/host/random.ts";
import { systemCode } from "../../../../base/program/errors.ts";
import { type Patience, sqliteCode } from "./patience.ts";

/**
 * The schema. The table `run` holds the taken addresses of a space as maximal runs, so that the lowest
 * free address is found with a few look-ups however many are taken. A space is a pool, or all guarded
 * pools of a network. Addresses are hexadecimal, 8 digits or 32, which sort as text.
 */
const schemaVersion = 1;
const schema = `
  CREATE TABLE pool (
    name TEXT PRIMARY KEY,
    range TEXT NOT NULL,
    network TEXT NOT NULL,
    node TEXT
  ) WITHOUT ROWID;
  CREATE TABLE reservation (
    pool TEXT NOT NULL REFERENCES pool (name),
    address TEXT NOT NULL,
    guard TEXT,
    owner TEXT NOT NULL,
    ifname TEXT NOT NULL,
    container TEXT NOT NULL,
    kept_until INTEGER,
    configuration TEXT,
    node TEXT,
    netns TEXT,
    PRIMARY KEY (pool, address)
  ) WITHOUT ROWID;
  CREATE INDEX reservation_container ON reservation (container, ifname);
  CREATE INDEX reservation_owner ON reservation (owner, ifname);
  CREATE INDEX reservation_kept ON reservation (kept_until) WHERE kept_until IS NOT NULL;
  CREATE UNIQUE INDEX reservation_guard ON reservation (guard, address) WHERE guard IS NOT NULL;
  CREATE TABLE run (
    space TEXT NOT NULL,
    first TEXT NOT NULL,
    last TEXT NOT NULL,
    PRIMARY KEY (space, last)
  ) WITHOUT ROWID;
  CREATE TABLE slice (
    pool TEXT NOT NULL,
    prefix TEXT NOT NULL,
    node TEXT NOT NULL,
    PRIMARY KEY (pool, prefix)
  ) WITHOUT ROWID;
  PRAGMA user_version = ${schemaVersion};
`;

/**
 * Opens the database of the current boot. Nothing is synced to the disk: a kill does no harm, but a power
 * cut may damage the database. By then every container is gone as well, so each boot has a file of its
 * own, which starts as a copy of the last one if that is intact.
 */
export function openDatabase(directory: string, parts: DatabaseParts): DatabaseSync {
  const path = `${directory}/reservations.${bootId()}.db`;
  if (!existsSync(path)) create(directory, path, parts);
  const database = connect(path, parts);
  parts.patience.run(() => database.exec(capacityTable));
  return database;
}

interface DatabaseParts {
  readonly random: Random;
  readonly patience: Patience;
}

function connect(path: string, { patience }: DatabaseParts): DatabaseSync {
  const database = new DatabaseSync(path);
  patience.run(() => database.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = PERSIST"));
  return database;
}

/**
 * The table with the number of addresses that a pool hands out; databases of earlier releases do not have
 * it.
 */
const capacityTable =
  "CREATE TABLE IF NOT EXISTS capacity (pool TEXT PRIMARY KEY, addresses TEXT NOT NULL) WITHOUT ROWID";

/**
 * Creates a database under another name and links it into place, so that no process ever opens half of
 * one.
 */
function create(directory: string, path: string, parts: DatabaseParts): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const unique = Buffer.from(parts.random.bytes(6)).toString("hex");
  const aside = `${directory}/new.${process.pid}-${unique}`;
  const earlier = globSync("reservations.*.db", { cwd: directory }).map(
    (one) => `${directory}/${one}`,
  );
  try {
    if (!earlier.some((one) => copyIfWhole(one, aside, parts))) makeEmpty(aside, parts);
    linkSync(aside, path);
  } catch (error) {
    // Another process was faster; nothing has used the database made here.
    if (systemCode(error) !== "EEXIST") throw error;
    return;
  } finally {
    remove(aside);
  }
  for (const one of earlier) remove(one);
}

function makeEmpty(path: string, parts: DatabaseParts): void {
  const database = connect(path, parts);
  database.exec(`BEGIN; ${schema} COMMIT`);
  database.close();
}

/**
 * Copies a database with its journal, from which SQLite undoes what a crash left unfinished; false if it
 * is damaged.
 */
function copyIfWhole(from: string, to: string, parts: DatabaseParts): boolean {
  copyFileSync(from, to);
  if (existsSync(`${from}-journal`)) copyFileSync(`${from}-journal`, `${to}-journal`);
  if (isWhole(to, parts)) return true;
  remove(to);
  return false;
}

function isWhole(path: string, parts: DatabaseParts): boolean {
  try {
    const database = connect(path, parts);
    const { user_version: version } = database.prepare("PRAGMA user_version").get() ?? {};
    const { quick_check: state } = database.prepare("PRAGMA quick_check(1)").get() ?? {};
    database.close();
    return version === schemaVersion && state === "ok";
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error;
    return false;
  }
}

function remove(path: string): void {
  rmSync(path, { force: true });
  rmSync(`${path}-journal`, { force: true });
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** A database that compiles each statement once. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #compiled = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  of(sql: string): StatementSync {
    const known = this.#compiled.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#compiled.set(sql, statement);
    return statement;
  }
}
