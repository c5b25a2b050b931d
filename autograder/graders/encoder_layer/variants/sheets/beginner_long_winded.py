# %% attention
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


# %% encoder
import numpy as np


class Encoder(nn.Module):
    def __init__(
        self, vocab_size: int, d_model: int, num_heads: int, d_ff: int, num_layers: int,
        dropout: float = 0.1, max_len: int = 512,
    ):
        super(Encoder, self).__init__()
        self.d_model = d_model
        self.max_len = max_len

        # the words
        self.embedding = nn.Embedding(vocab_size, d_model)

        # the positions (an embedding which is never trained)
        position_table = np.zeros((max_len, d_model))
        for pos in range(max_len):
            for feature in range(d_model):
                if feature % 2 == 0:
                    two_i = feature
                    angle = pos / (10000 ** (two_i / d_model))
                    position_table[pos, feature] = np.sin(angle)
                else:
                    two_i = feature - 1
                    angle = pos / (10000 ** (two_i / d_model))
                    position_table[pos, feature] = np.cos(angle)
        position_tensor = torch.from_numpy(position_table).float()
        self.position_embedding = nn.Embedding.from_pretrained(position_tensor, freeze=True)

        # dropout
        self.dropout = nn.Dropout(dropout)

        # the layers
        list_of_layers = []
        for layer_number in range(num_layers):
            new_layer = EncoderLayer(d_model, num_heads, d_ff, dropout)
            list_of_layers.append(new_layer)
        self.layers = nn.ModuleList(list_of_layers)

    def forward(self, tokens: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch_size = tokens.shape[0]
        sequence_length = tokens.shape[1]

        # embed the words
        embedded = self.embedding(tokens)
        factor = math.sqrt(self.d_model)
        embedded = embedded * factor

        # embed the positions
        position_numbers = torch.arange(sequence_length, device=tokens.device)
        position_numbers = position_numbers.unsqueeze(0)
        position_numbers = position_numbers.expand(batch_size, sequence_length)
        positions = self.position_embedding(position_numbers)

        # add and drop
        x = embedded + positions
        x = self.dropout(x)

        # go through all layers
        for layer in self.layers:
            x = layer(x, attention_mask)
        output = x
        return output


# %% encoder_layer
class MyLayerNorm(nn.Module):
    def __init__(self, d_model):
        super(MyLayerNorm, self).__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.epsilon = 0.00001

    def forward(self, x):
        number_of_features = x.shape[-1]
        sum_of_features = torch.sum(x, dim=-1, keepdim=True)
        mean = sum_of_features / number_of_features
        difference = x - mean
        squared_difference = difference * difference
        sum_of_squares = torch.sum(squared_difference, dim=-1, keepdim=True)
        variance = sum_of_squares / number_of_features
        normalized = difference / torch.sqrt(variance + self.epsilon)
        return self.gamma * normalized + self.beta


class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1):
        super(EncoderLayer, self).__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.feature_transformation = PositionWiseFeedForward(d_model, d_ff)
        self.layer_norm_1 = MyLayerNorm(d_model)
        self.layer_norm_2 = MyLayerNorm(d_model)
        self.attention_dropout = nn.Dropout(dropout)
        self.feed_forward_dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        # first block
        query = x
        key = x
        value = x
        attention_output = self.self_attention(query, key, value, attention_mask)
        attention_output = self.attention_dropout(attention_output)
        first_sum = x + attention_output
        z = self.layer_norm_1(first_sum)

        # second block
        feed_forward_output = self.feature_transformation(z)
        feed_forward_output = self.feed_forward_dropout(feed_forward_output)
        second_sum = z + feed_forward_output
        output = self.layer_norm_2(second_sum)
        return output


# %% feed_forward
class PositionWiseFeedForward(nn.Sequential):
    def __init__(self, d_model: int, d_ff: int):
        super(PositionWiseFeedForward, self).__init__()

        # first layer makes it bigger
        input_size = d_model
        hidden_size = d_ff
        output_size = d_model
        self.linear1 = nn.Linear(input_size, hidden_size)

        # activation
        self.relu = nn.ReLU()

        # second layer makes it smaller again
        self.linear2 = nn.Linear(hidden_size, output_size)


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, mask_future: bool = False):
        super(MultiHeadAttention, self).__init__()

        remainder = d_model % num_heads
        if remainder != 0:
            raise ValueError("d_model has to be divisible by num_heads!")

        self.d_model = d_model
        self.num_heads = num_heads
        self.d_k = int(d_model / num_heads)

        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.attention = Attention(mask_future)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
    ) -> Tensor:
        batch_size = query.shape[0]
        query_len = query.shape[1]
        key_len = key.shape[1]
        value_len = value.shape[1]

        # step 1: the big matrices
        Q = self.W_Q(query)
        K = self.W_K(key)
        V = self.W_V(value)

        # step 2: cut into heads (batch, seq, num_heads, d_k)
        Q_heads = Q.view(batch_size, query_len, self.num_heads, self.d_k)
        K_heads = K.view(batch_size, key_len, self.num_heads, self.d_k)
        V_heads = V.view(batch_size, value_len, self.num_heads, self.d_k)

        # step 3: swap so that each head has a whole sequence (batch, num_heads, seq, d_k)
        Q_heads = Q_heads.transpose(1, 2)
        K_heads = K_heads.transpose(1, 2)
        V_heads = V_heads.transpose(1, 2)

        # step 4: attention
        result = self.attention(Q_heads, K_heads, V_heads, attention_mask)

        # step 5: back to (batch, query_len, d_model)
        result_swapped = result.transpose(1, 2)
        result_merged = result_swapped.reshape(batch_size, query_len, self.d_model)

        # step 6: last matrix
        output = self.W_O(result_merged)
        return output
