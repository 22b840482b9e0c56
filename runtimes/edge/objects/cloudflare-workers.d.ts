/** What this program uses of the module that the edge platform supplies. */
declare module "cloudflare:workers" {
  /** A value of a column. */
  type SqlValue = ArrayBuffer | string | number | null;

  /** Rows of an answer. */
  interface SqlCursor extends Iterable<Record<string, SqlValue>> {
    toArray(): Record<string, SqlValue>[];
  }

  /** SQLite of the object; all calls answer at once. */
  interface SqlStorage {
    exec(query: string, ...bindings: readonly SqlValue[]): SqlCursor;
  }

  /** Storage of an object: no answer leaves it before what was written is safe. */
  interface ObjectStorage {
    readonly sql: SqlStorage;
    /** Applies all changes of the work, or none when it throws. */
    transactionSync<Result>(work: () => Result): Result;
    /** Resolves when all that was written is safe. */
    sync(): Promise<void>;
    /** Milliseconds since the epoch; there is one alarm, and a later call replaces it. */
    setAlarm(atMs: number): Promise<void>;
  }

  /** Names an object of a class. */
  interface ObjectId {
    equals(other: ObjectId): boolean;
  }

  /** The objects of a class; a stub has the public methods of the class, to be called from afar. */
  interface ObjectNamespace<Stub> {
    idFromName(name: string): ObjectId;
    get(id: ObjectId): Stub;
  }

  /** What the platform gives an object. */
  interface ObjectState {
    readonly storage: ObjectStorage;
    readonly id: ObjectId;
    /** Throws the instance away: the next request makes another over the same storage. */
    abort(reason: string): void;
  }

  /** An object with storage; its methods can be called through stubs. */
  abstract class DurableObject<Environment> {
    protected readonly ctx: ObjectState;
    protected readonly env: Environment;
    constructor(ctx: ObjectState, env: Environment);
  }
}
