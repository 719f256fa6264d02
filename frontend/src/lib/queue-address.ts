// The address of the queue.

/** The filters of the queue, stored in its address. */
export interface QueueSearch {
  whose?: 'mine' | 'available';
  queue?: string;
  /** The id of the saved view that was opened. */
  view?: string;
}
