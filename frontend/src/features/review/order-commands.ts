// The commands of a reviewer on the payment order.
import type { Client, CombinedError } from 'urql';
import type { OrderGroundInput } from '../../graphql/generated/graphql';
import { AcceptOrder, ConfirmOrderGround, StateOrderGround } from './order-grounds.graphql';
import type { Payload } from './use-review';

/** A command on the payment order. */
export type OrderCommand =
  | { type: 'accept' }
  | { type: 'state'; ground: OrderGroundInput }
  | { type: 'confirm'; ground: number };

export async function sendOrderCommand(
  client: Client,
  command: OrderCommand,
  input: <What extends object>(
    extra: What,
  ) => What & {
    reviewId: string;
    expectedVersion: string;
    onBehalfOf: string | null;
    idempotencyKey: string;
  },
): Promise<{ payload?: Payload | undefined; error?: CombinedError | undefined }> {
  switch (command.type) {
    case 'accept': {
      const { data, error } = await client.mutation(AcceptOrder, { input: input({}) }).toPromise();
      return { payload: data?.acceptOrder, error };
    }
    case 'state': {
      const { data, error } = await client
        .mutation(StateOrderGround, { input: input({ ground: command.ground }) })
        .toPromise();
      return { payload: data?.stateOrderGround, error };
    }
    case 'confirm': {
      const { data, error } = await client
        .mutation(ConfirmOrderGround, { input: input({ ground: command.ground }) })
        .toPromise();
      return { payload: data?.confirmOrderGround, error };
    }
  }
}
