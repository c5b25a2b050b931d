"""Mistakes in the variants of `variants/sheets/`: what goes wrong in other people's code.

The diagnosis is measured with them: unlike the catalogue they are no edits of the solution. An entry is
(exercise, the mistakes that have to be named, an edit or several): two where the same code may come of
either, "" where none of the catalogue is it.
"""

IN_VARIANTS = {
    "assistant_written": [
        # The causal mask is aligned at the last key, as for a key-value cache, so with fewer
        # queries than keys query i also sees the key_len - query_len keys after key i.
        (
            "attention",
            "future_from_the_end",
            (
                "return self._causal_mask[:query_len, :key_len]",
                "return torch.ones(query_len, key_len, dtype=torch.bool, device=device).tril(max(key_len - query_len, 0))",
            ),
        ),
        # layer_norm_2 is the very same module as layer_norm_1, so the two norms are not
        # independent.
        (
            "encoder_layer",
            "one_shared_norm",
            (
                "self.layer_norm_2 = nn.LayerNorm(d_model, eps=self.LAYER_NORM_EPS)",
                "self.layer_norm_2 = self.layer_norm_1",
            ),
        ),
        # The exponent of the frequencies is doubled: the even numbers 0, 2, 4, ... are taken for
        # i and multiplied by 2 once more.
        ("encoder", "wrong_angle", ("even_feature / d_model", "2 * even_feature / d_model")),
    ],
    "beginner_long_winded": [
        # The second linear is built as a copy of the first one's output, d_ff to d_ff, so the
        # token does not come back to d_model features.
        (
            "feed_forward",
            "second_linear_of_another_size",
            ("nn.Linear(hidden_size, output_size)", "nn.Linear(hidden_size, hidden_size)"),
        ),
        # On the way out the swap is forgotten: the heads are reshaped without a transpose, which
        # mixes heads and positions.
        (
            "multi_head_attention",
            "merge_without_transpose",
            ("result_swapped = result.transpose(1, 2)", "result_swapped = result"),
        ),
        # Dropout acts on the sum with the residual instead of on the sub-layer's output, in both
        # blocks.
        (
            "encoder_layer",
            "dropout_on_the_sum",
            (
                "attention_output = self.attention_dropout(attention_output)\n        first_sum = x + attention_output",
                "first_sum = x + attention_output\n        first_sum = self.attention_dropout(first_sum)",
            ),
            (
                "feed_forward_output = self.feed_forward_dropout(feed_forward_output)\n        second_sum = z + feed_forward_output",
                "second_sum = z + feed_forward_output\n        second_sum = self.feed_forward_dropout(second_sum)",
            ),
        ),
    ],
    "blog_tutorial_hand_norm": [
        # The hand-made norm divides by the unbiased standard deviation plus eps (as the Annotated
        # Transformer does) instead of by the square root of the biased variance plus eps.
        (
            "encoder_layer",
            "norm_is_no_layer_norm",
            (
                "std = (x.var(-1, unbiased=False, keepdim=True) + self.eps).sqrt()",
                "std = x.std(-1, keepdim=True) + self.eps",
            ),
        ),
        # The frequencies are counted 0, 1, 2, ... instead of 0, 2, 4, ..., so the exponent is i /
        # d_model in place of 2i / d_model.
        (
            "encoder",
            "wrong_angle",
            (
                "torch.exp(torch.arange(0, d_model, 2) *",
                "torch.exp(torch.arange(0, d_model // 2) *",
            ),
        ),
        # The future mask starts on the diagonal itself, so a query cannot see the key of its own
        # position (j < i instead of j <= i).
        ("attention", "future_off_by_one", ("diagonal=1", "diagonal=0")),
    ],
    "c_like_loops": [
        # A copied index: every head reads the values of head 0.
        (
            "multi_head_attention",
            "heads_share_one_input",
            ("v[:, :, a:b], attention_mask", "v[:, :, 0:self.dk], attention_mask"),
        ),
        # The first sum is made in place, so forward changes the caller's x (and training raises
        # or spoils the input).
        (
            "encoder_layer",
            "input_is_changed",
            (
                "        t = x + t\n        z = self.layer_norm_1(t)",
                "        x += t\n        z = self.layer_norm_1(x)",
            ),
        ),
        # The loop over the layers stops one too early, so the last layer is never used.
        (
            "encoder",
            "last_layer_never_used",
            ("range(0, self.n_layers)", "range(0, self.n_layers - 1)"),
        ),
    ],
    "einops_everywhere": [
        # On the way out the features are merged as (d h) instead of (h d), so the heads are
        # interleaved and not concatenated.
        (
            "multi_head_attention",
            "heads_take_turns",
            ('rearrange(out, "b h n d -> b n (h d)")', 'rearrange(out, "b h n d -> b n (d h)")'),
        ),
        # The mask is laid along the queries instead of the keys: padded queries lose all keys,
        # padded keys are seen.
        (
            "attention",
            "mask_on_queries",
            (
                'rearrange(attention_mask.bool(), f"b j -> b {ones} j")',
                'rearrange(attention_mask.bool(), f"b i -> b {ones[2:]} i 1")',
            ),
        ),
        # The table holds all sines first and then all cosines instead of sine and cosine in turn.
        (
            "encoder",
            "sines_then_cosines",
            ('"two pos i -> pos (i two)"', '"two pos i -> pos (two i)"'),
        ),
    ],
    "fairseq_tensor2tensor": [
        # With the heads folded into the batch the mask is tiled with repeat instead of
        # repeat_interleave, so sequences get the padding of other sequences.
        (
            "multi_head_attention",
            "mask_repeated_in_another_order",
            (
                "attention_mask.repeat_interleave(self.num_heads, dim=0)",
                "attention_mask.repeat(self.num_heads, 1)",
            ),
        ),
        # The residual is added in place into the residual tensor, so forward changes the x of its
        # caller.
        (
            "encoder_layer",
            "input_is_changed",
            (
                "        x += residual\n        return x\n",
                "        residual += x\n        return residual\n",
            ),
        ),
        # The frequencies are those of tensor2tensor and fairseq, log(10000) / (half_dim - 1), not
        # the 2i / d_model of the equation.
        (
            "encoder",
            "angles_reach_the_base",
            ("math.log(10000) / half_dim", "math.log(10000) / (half_dim - 1)"),
        ),
    ],
    "functional_fused_qkv": [
        # F.dropout is called without the training flag, whose default is True, so dropout stays
        # on in eval mode.
        (
            "encoder_layer",
            "dropout_never_rests",
            ("F.dropout(y, p, training=training)", "F.dropout(y, p)"),
        ),
        # The fused projection is applied to the query alone, so key and value are ignored (right
        # only for self-attention).
        (
            "multi_head_attention",
            "input_taken_twice",
            (
                "split(F.linear(x, w), self.h) for x, w in zip((query, key, value), ws)",
                "split(F.linear(query, w), self.h) for w in ws",
            ),
        ),
        # The weights are multiplied by the mask after the softmax but not brought back to sum
        # one.
        ("attention", "mask_behind_the_softmax", ("return weights / total", "return weights")),
    ],
    "golf_one_liners": [
        # The members stand in the order linear1, linear2, relu, so nothing bends between the
        # linears and no output is negative.
        (
            "feed_forward",
            "relu_behind_the_second_linear",
            (
                "relu=nn.ReLU(), linear2=nn.Linear(d_ff, d_model)",
                "linear2=nn.Linear(d_ff, d_model), relu=nn.ReLU()",
            ),
        ),
        # The two masks are joined by or: a key is seen if only one of them allows it, so without
        # mask_future padding is not hidden at all.
        ("attention", "masks_joined_by_or", ("see & attention_mask", "see | attention_mask")),
        # The attention mask is not handed on to the layers.
        (
            "encoder",
            "mask_forgotten",
            ("lambda h, layer: layer(h, attention_mask)", "lambda h, layer: layer(h)"),
        ),
    ],
    "hugging_face": [
        # A copy-paste: the value projection is applied to key, so the argument value is never
        # used.
        ("multi_head_attention", "input_taken_twice", ("self.value(value)", "self.value(key)")),
        # The attention_mask is not passed on to the layers, so padding is attended.
        (
            "encoder",
            "mask_forgotten",
            ("layer_module(hidden_states, attention_mask)", "layer_module(hidden_states)"),
        ),
    ],
    "inline_everything": [
        # mask_future is stored but forgotten in the inlined attention, so the future is always
        # visible.
        (
            "multi_head_attention",
            "future_not_handed_on",
            ("        if self.mask_future:\n            ok = ok.tril()\n", ""),
        ),
        # The inlined attention divides the scores by sqrt(d_model) instead of by the sqrt(d_k) of
        # one head.
        (
            "encoder_layer",
            "attention_of_its_own_scales_wrongly",
            ("math.sqrt(q.size(-1))", "math.sqrt(D)"),
        ),
        # The dropout rate is not handed on to the layers, which then always use their default of
        # 0.1.
        (
            "encoder",
            "rate_is_not_handed_on",
            (
                "EncoderLayer(d_model, num_heads, d_ff, dropout)",
                "EncoderLayer(d_model, num_heads, d_ff)",
            ),
        ),
    ],
    "java": [
        # The relu is added after linear2 (all fields with weights first), so nothing stands
        # between the two linear layers and the output is never negative.
        (
            "feed_forward",
            "relu_behind_the_second_linear",
            ("        self.relu: nn.ReLU = nn.ReLU(inplace=False)\n", ""),
            (
                "        self.linear2: nn.Linear = nn.Linear(in_features=d_ff, out_features=d_model, bias=True)\n",
                "        self.linear2: nn.Linear = nn.Linear(in_features=d_ff, out_features=d_model, bias=True)\n        self.relu: nn.ReLU = nn.ReLU(inplace=False)\n",
            ),
        ),
        # The own IllegalArgumentException extends Exception, so what is raised for a d_model that
        # is no multiple of num_heads is no ValueError.
        (
            "multi_head_attention",
            "refused_with_another_exception",
            (
                "class IllegalArgumentException(ValueError):",
                "class IllegalArgumentException(Exception):",
            ),
        ),
        # One layer object is created and its reference put into the list num_layers times (like
        # Collections.nCopies), so all layers share their weights.
        (
            "encoder",
            "shared_layers",
            (
                "[self.__create_layer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)]",
                "[self.__create_layer(d_model, num_heads, d_ff, dropout)] * num_layers",
            ),
        ),
    ],
    "jax_haiku": [
        # The softmax of the single-sequence function runs over axis 0, the queries, instead of
        # over the keys.
        (
            "attention",
            "softmax_over_another_axis",
            ("softmax(logits, axis=-1)", "softmax(logits, axis=0)"),
        ),
        # The heads are merged feature by feature, '(d h)', instead of laid side by side, '(h d)'.
        ("multi_head_attention", "heads_take_turns", ("b q (h d)", "b q (d h)")),
        # F.dropout is called without the training flag, whose default is True, so dropout also
        # acts in eval mode.
        (
            "encoder_layer",
            "dropout_never_rests",
            ("F.dropout(x, p=rate, training=is_training)", "F.dropout(x, p=rate)"),
        ),
    ],
    "keras": [
        # The padding mask is not inverted to the TensorFlow convention, so exactly the allowed
        # keys are hidden and the padding is attended.
        (
            "attention",
            "mask_upside_down",
            ("mask = 1.0 - attention_mask.float()", "mask = attention_mask.float()"),
        ),
        # The dropout rate is taken for TensorFlow 1's keep_prob, so dropout=0.1 drops nine values
        # in ten (and dropout=0.0 drops everything in training).
        (
            "encoder_layer",
            "dropout_rate_is_what_is_kept",
            ("nn.Dropout(p=rate)", "nn.Dropout(p=1 - rate)"),
        ),
        # The position table holds all sines in its first half and all cosines in its second half,
        # as in the old TensorFlow tutorial, instead of alternating them.
        (
            "encoder",
            "sines_then_cosines",
            (
                "np.stack([sines, cosines], axis=-1).reshape(position, d_model)",
                "np.concatenate([sines, cosines], axis=-1)",
            ),
        ),
    ],
    "nano_gpt": [
        # The member relu is a GELU, as in GPT-2.
        ("feed_forward", "another_activation", ("nn.ReLU()", "nn.GELU()")),
        # The output projection c_proj is made with a bias.
        (
            "multi_head_attention",
            "biased_projections",
            (
                "self.c_proj = nn.Linear(d_model, d_model, bias=False)",
                "self.c_proj = nn.Linear(d_model, d_model)",
            ),
        ),
        # The layer is pre-norm as in GPT-2, x + sublayer(norm(x)), instead of post-norm.
        (
            "encoder_layer",
            "pre_norm",
            (
                "self.layer_norm_1(x + self.attn(x, attention_mask))",
                "x + self.attn(self.layer_norm_1(x), attention_mask)",
            ),
            ("self.layer_norm_2(x + self.mlp(x))", "x + self.mlp(self.layer_norm_2(x))"),
        ),
    ],
    "numpy_minded": [
        # The triangle is off by one (k=1), so with mask_future each query also sees the key just
        # after it.
        ("attention", "future_off_by_one", ("np.tril(visible)", "np.tril(visible, k=1)")),
        # The hand-written layer norm relies on numpy's default for var; torch's default divides
        # by n - 1 instead of n.
        (
            "encoder_layer",
            "norm_is_no_layer_norm",
            ("x.var(axis=-1, keepdims=True, correction=0)", "x.var(axis=-1, keepdims=True)"),
        ),
        # The positions are counted from 1 instead of from 0.
        ("encoder", "positions_begin_at_one", ("np.arange(max_len)", "np.arange(1, max_len + 1)")),
    ],
    "one_linear_per_head_research": [
        # The list of per-head linears is made by multiplying a list, so all heads share one and
        # the same linear and are equal.
        (
            "multi_head_attention",
            "one_projection_for_all_heads",
            (
                "nn.ModuleList([nn.Linear(c.d_model, c.d_head, bias=False) for _ in range(c.n_heads)])",
                "nn.ModuleList([nn.Linear(c.d_model, c.d_head, bias=False)] * c.n_heads)",
            ),
        ),
        # Both linears of the feed forward are built without bias, as the projections of the
        # attention are, so b1 and b2 of the paper's equation are missing.
        (
            "feed_forward",
            "no_bias",
            ("nn.Linear(d_model, d_ff)", "nn.Linear(d_model, d_ff, bias=False)"),
            ("nn.Linear(d_ff, d_model)", "nn.Linear(d_ff, d_model, bias=False)"),
        ),
        # The dropout rate of the config is not handed to the layers, which fall back to their
        # default 0.1.
        (
            "encoder",
            "rate_is_not_handed_on",
            (
                "EncoderLayer(c.d_model, c.num_heads, c.d_ff, c.dropout)",
                "EncoderLayer(c.d_model, c.num_heads, c.d_ff)",
            ),
        ),
    ],
    "overengineered_registries": [
        # The own error for sizes which do not fit is derived from Exception, so it is no
        # ValueError.
        (
            "multi_head_attention",
            "refused_with_another_exception",
            ("class ConfigurationError(ValueError)", "class ConfigurationError(Exception)"),
        ),
        # The factory of the norms is cached, so layer_norm_1 and layer_norm_2 (of all layers) are
        # one and the same object.
        (
            "encoder_layer",
            "one_shared_norm",
            ('NORMS = Registry("norm")', 'from functools import cache\n\nNORMS = Registry("norm")'),
            ('@NORMS.register("layer")', '@NORMS.register("layer")\n@cache'),
        ),
        # Dropout acts on the scaled embedding before the positions are added, so the positions
        # are never dropped.
        (
            "encoder",
            "dropout_on_one_of_both",
            (
                "self.regulariser(self.embedding(tokens) * self.scale + positions)",
                "self.regulariser(self.embedding(tokens) * self.scale) + positions",
            ),
        ),
    ],
    "sdpa": [
        # Since is_causal and attn_mask cannot be given together, mask_future is dropped whenever
        # an attention_mask is given: then the future is visible.
        (
            "attention",
            "only_one_of_both_masks",
            (
                "            past = query.new_ones(query.size(-2), key.size(-2)).tril().bool()\n",
                "            # is_causal together with attn_mask is an error\n",
            ),
            ("allowed = allowed & past", "pass"),
        ),
        # The mask is handed over as floats instead of bools; scaled_dot_product_attention then
        # adds 1 to the allowed scores instead of hiding the others.
        (
            "attention",
            "mask_added_as_numbers",
            ("attention_mask.bool()", "attention_mask.to(query.dtype)"),
            ("allowed = allowed & past", "allowed = allowed * past"),
        ),
        # The second residual adds the input x of the layer again instead of z, the output of the
        # first norm.
        (
            "encoder_layer",
            "second_residual_from_the_input",
            ("self.layer_norm_2(transformed + z)", "self.layer_norm_2(transformed + x)"),
        ),
    ],
    "torch_source_folded_heads": [
        # With the heads folded into the batch the mask is tiled by repeat instead of
        # repeat_interleave, so sequences get the masks of other sequences.
        (
            "multi_head_attention",
            "mask_repeated_in_another_order",
            (
                "attention_mask.repeat_interleave(self.num_heads, dim=0)",
                "attention_mask.repeat(self.num_heads, 1)",
            ),
        ),
        # The mask is read as PyTorch's key_padding_mask, where True means ignore, so exactly the
        # padding is attended.
        (
            "attention",
            "mask_upside_down",
            ("attention_mask.to(torch.bool).logical_not()", "attention_mask.to(torch.bool)"),
        ),
        # The norms stand before the sub-layers (norm_first, pre-norm) instead of after the sums.
        (
            "encoder_layer",
            "pre_norm",
            (
                "x = self.layer_norm_1(x + self._sa_block(x, attention_mask))",
                "x = x + self._sa_block(self.layer_norm_1(x), attention_mask)",
            ),
            (
                "x = self.layer_norm_2(x + self._ff_block(x))",
                "x = x + self._ff_block(self.layer_norm_2(x))",
            ),
        ),
    ],
    "typed_shape_asserts": [
        # An assert demands that key has exactly the shape of query, so a query_len different from
        # key_len raises.
        (
            "attention",
            "only_of_equal_lengths",
            (
                "assert key.shape == (*lead, key_len, d_k), (query.shape, key.shape)",
                "assert key.shape == query.shape, (query.shape, key.shape)",
            ),
        ),
        # The second residual adds the layer's input x instead of z, which the shape asserts
        # cannot see.
        (
            "encoder_layer",
            "second_residual_from_the_input",
            (
                "self.layer_norm_2(z + self.dropout(transformed))",
                "self.layer_norm_2(x + self.dropout(transformed))",
            ),
        ),
        # Positions are counted from 1 instead of from 0.
        (
            "encoder",
            "positions_begin_at_one",
            (
                "torch.arange(max_len, dtype=torch.float32)[:, None]",
                "torch.arange(1, max_len + 1, dtype=torch.float32)[:, None]",
            ),
        ),
    ],
}
