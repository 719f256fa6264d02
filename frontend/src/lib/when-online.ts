// Code that a page loads when it needs it, also while the connection is interrupted.

/** Loads; if that fails without a connection, loads again when the browser is online. Other failures are thrown. */
export async function whenOnline<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (navigator.onLine) throw error;
      await new Promise((resolve) => addEventListener('online', resolve, { once: true }));
    }
  }
}
