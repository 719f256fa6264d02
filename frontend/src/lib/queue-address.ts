// The address of the queue.

/** The filters and the order of the queue, stored in its address. */
export interface QueueSearch {
  whose?: 'mine' | 'available';
  queue?: string;
  /** Part of the vendor, the reference or the name of a file. */
  text?: string;
  /** An unknown one is the earliest deadline first. */
  sort?: string;
  /** The id of the saved view that was opened. */
  view?: string;
}
