/** Bounds of a store; tests choose small ones. */
export interface StoreSizes {
  /** The journal is folded at either of these: they bound what an opening reads. */
  readonly foldBytes: number;
  readonly foldRecords: number;
  /** Commits wait for a fold once this much waits for it. */
  readonly mostWaitingBytes: number;
  /** Commits that need not be durable go with the next one that must, or at this size. */
  readonly mostPendingBytes: number;
  /** Segments of a level that are merged to one of the next. */
  readonly fan: number;
  /** Pages that are read when the store is opened. */
  readonly residentPageBytes: number;
  /**
   * Pages that are fetched to find one entry; they stay below the size at which Chromium puts a
   * value into a file of its own.
   */
  readonly pagedPageBytes: number;
}

/** What chains use. */
export const STORE_SIZES: StoreSizes = {
  foldBytes: 1024 * 1024,
  foldRecords: 512,
  mostWaitingBytes: 16 * 1024 * 1024,
  mostPendingBytes: 1024 * 1024,
  fan: 6,
  residentPageBytes: 256 * 1024,
  pagedPageBytes: 32 * 1024,
};
