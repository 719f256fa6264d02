// The address of the queue.

/** The filters of the queue, stored in its address. */
export interface QueueSearch {
  whose?: 'mine' | 'available';
  queue?: string;
}
