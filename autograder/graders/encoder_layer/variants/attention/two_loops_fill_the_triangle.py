import math
import torch
from torch import Tensor, nn

class Attention(nn.Module):
    def __init__(self, mask_future: bool = False):
        super(Attention, self).__init__()
        self.mask_future = mask_future

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        # get all the sizes
        d_k = query.shape[-1]
        query_len = query.shape[-2]
        key_len = key.shape[-2]

        # Q times K transposed
        key_transposed = torch.transpose(key, -2, -1)
        scores = torch.matmul(query, key_transposed)

        # divide by the square root
        square_root = math.sqrt(d_k)
        scaled_scores = scores / square_root

        # hide the future: a big negative number above the diagonal
        if self.mask_future == True:
            future_mask = torch.zeros(query_len, key_len, device=query.device)
            for i in range(query_len):
                for j in range(key_len):
                    if j > i:
                        future_mask[i, j] = -1e30
            scaled_scores = scaled_scores + future_mask

        # hide the padding: a big negative number where the mask is 0
        if attention_mask is not None:
            mask_as_float = attention_mask.float()
            inverted_mask = 1.0 - mask_as_float
            padding_mask = inverted_mask * -1e30
            number_of_dimensions = len(scaled_scores.shape)
            new_shape = [padding_mask.shape[0]]
            for n in range(number_of_dimensions - 2):
                new_shape.append(1)
            new_shape.append(key_len)
            padding_mask = torch.reshape(padding_mask, new_shape)
            scaled_scores = scaled_scores + padding_mask

        # softmax over the keys
        softmax_function = nn.Softmax(dim=-1)
        attention_weights = softmax_function(scaled_scores)

        output = torch.matmul(attention_weights, value)
        return output
